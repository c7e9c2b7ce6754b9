/** Writes createPayment and not_found as names of components: CreatePayment, NotFound. */
export function toPascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
