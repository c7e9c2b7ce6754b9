import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { updateErrorTables } from './error-catalogue.ts'

/** `npm run docs:errors`: writes the tables of docs/errors.md anew after a catalogue has changed. */
const errorsDocument = join(import.meta.dirname, '../../../docs/errors.md')
writeFileSync(errorsDocument, updateErrorTables(readFileSync(errorsDocument, 'utf8')))
