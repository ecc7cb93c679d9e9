import { Heading } from '../parts/heading.tsx'

export default function PackagesPage() {
  return <Heading>Packages</Heading>
}
