import { Heading } from '../parts/heading.tsx'

export default function SearchPage() {
  return <Heading>Search</Heading>
}
