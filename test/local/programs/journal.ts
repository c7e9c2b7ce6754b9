import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

/** Notes when this program begins and ends, in `journal` of the home. */
export function keepJournal(name: string, beforeTheEnd: () => void = () => {}): void {
  const note = (what: string) =>
    appendFileSync(join(process.env.TRILHO_HOME ?? '.', 'journal'), `${what} ${name}\n`)
  note('begins')
  process.on('SIGTERM', () => {
    beforeTheEnd()
    note('ends')
    process.exit(0)
  })
}
