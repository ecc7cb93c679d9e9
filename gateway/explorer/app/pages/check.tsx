import { Heading } from '../parts/heading.tsx'

export default function CheckPage() {
  return <Heading>Check</Heading>
}
