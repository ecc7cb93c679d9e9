import { Heading } from '../parts/heading.tsx'

export default function ApiPage() {
  return <Heading>API</Heading>
}
