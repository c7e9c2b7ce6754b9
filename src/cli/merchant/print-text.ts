/** Prints a line for people: these commands are watched in a terminal, unlike those that print JSON. */
export function printText(line: string): void {
  process.stdout.write(`${line}\n`)
}
