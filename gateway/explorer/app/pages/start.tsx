import { Heading } from '../parts/heading.tsx'

export default function StartPage() {
  return <Heading>vulnshelf</Heading>
}
