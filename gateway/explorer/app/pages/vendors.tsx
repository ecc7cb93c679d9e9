import { Heading } from '../parts/heading.tsx'

export default function VendorsPage() {
  return <Heading>Vendors</Heading>
}
