import { Heading } from '../parts/heading.tsx'

export default function AdvisoriesPage() {
  return <Heading>Advisory</Heading>
}
