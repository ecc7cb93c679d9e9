import { Heading } from '../parts/heading.tsx'

export default function CapecsPage() {
  return <Heading>Attack patterns</Heading>
}
