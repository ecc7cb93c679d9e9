import { Heading } from '../parts/heading.tsx'

export default function CwesPage() {
  return <Heading>Weaknesses</Heading>
}
