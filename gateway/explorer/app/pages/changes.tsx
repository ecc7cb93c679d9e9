import { Heading } from '../parts/heading.tsx'

export default function ChangesPage() {
  return <Heading>Changes</Heading>
}
