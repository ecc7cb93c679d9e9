import { Heading } from '../parts/heading.tsx'

export default function CnasPage() {
  return <Heading>CNAs</Heading>
}
