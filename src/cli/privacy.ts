import { InvalidArgumentError, Option } from 'commander'
import { erasePerson, eraseUser, exportPerson, exportUser } from '../admin/privacy.ts'
import { parseEmail } from '../admin/users.ts'
import type { Person } from '../db/repositories/personal-data.ts'
import { parseDocument } from '../domain/privacy/erasure.ts'
import { openStorage } from '../storage/storage.ts'
import { type OperatorCommand, parsePastInstant, parseUuid, requireOption } from './command-context.ts'

/** Registers the commands over the personal data of one person (docs/retention.md). */
export function registerPrivacyCommands(trilho: OperatorCommand): void {
  const privacy = trilho.command('privacy')

  addPersonOptions(privacy.auditedCommand('export'))
    .description(
      'print all that is stored about a payer, a receiver or a user; recorded in the operator actions',
    )
    .run(async ({ em, sealer, operator, print }, options: PersonOptions) => {
      const person = readPersonOptions(options)
      const records =
        person.email !== undefined
          ? await exportUser(em, { ...operator, email: person.email })
          : await exportPerson(em, sealer, { ...operator, ...person })
      for (const record of records) print(record)
    })

  addPersonOptions(privacy.auditedCommand('erase'))
    .description(
      'erase the personal data of a payer, a receiver or a user that has ended; amounts, states and ids of the rail stay',
    )
    .option(
      '--before <moment>',
      'with --document: operations whose money moved at this moment or later stay whole, because the law wants them; ISO 8601',
      parsePastInstant,
    )
    .run(async ({ em, sealer, operator, config, print }, options: ErasureOptions) => {
      const person = readPersonOptions(options)
      if (person.email !== undefined) {
        if (options.before !== undefined) throw new Error('--before is allowed only with --document')
        return print(await eraseUser(em, { ...operator, email: person.email }))
      }
      const before = requireOption(options.before, '--before')
      const storage = await openStorage(config)
      print(await erasePerson(em, { sealer, storage }, { ...operator, ...person, before }))
    })
}

type PersonOptions = { document?: string; user?: string; account?: string }
type ErasureOptions = PersonOptions & { before?: Date }

const addPersonOptions = <Command extends OperatorCommand>(command: Command) =>
  command
    .addOption(
      new Option('--document <document>', 'CPF or CNPJ of a payer or receiver')
        .argParser(parseDocumentOption)
        .conflicts('user'),
    )
    .option('--user <email>', 'e-mail of a user of the dashboard', parseEmail)
    .option('--account <uuid>', 'with --document: only operations of this account', parseUuid)

function parseDocumentOption(text: string): string {
  const document = parseDocument(text)
  if (document === null) throw new InvalidArgumentError('Not a CPF or CNPJ.')
  return document
}

/** Reads whose data a command is about: a user's by e-mail, or that of a payer or receiver by document. */
function readPersonOptions({
  document,
  user: email,
  account,
}: PersonOptions): { email: string } | (Person & { email?: never }) {
  if (email === undefined)
    return { document: requireOption(document, '--document or --user'), accountUuid: account ?? null }
  if (account !== undefined) throw new Error('--account is allowed only with --document')
  return { email }
}
