import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

const journalPath = join(process.env.TRILHO_HOME ?? '.', 'journal')

/** Writes a line when this program starts and ends, to `journal` in the home. */
export function logStartAndEnd(name: string, beforeTheEnd: () => void = () => {}): void {
  const note = (what: string) => appendFileSync(journalPath, `${what} ${name}\n`)
  process.on('SIGTERM', () => {
    beforeTheEnd()
    note('ends')
    process.exit(0)
  })
  note('begins')
}
