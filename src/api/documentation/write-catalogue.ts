import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withTables } from './catalogue.ts'

/** `npm run docs:errors`: writes the tables of docs/errors.md anew after a catalogue has changed. */
const file = join(import.meta.dirname, '../../../docs/errors.md')
writeFileSync(file, withTables(readFileSync(file, 'utf8')))
