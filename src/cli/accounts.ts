import { InvalidArgumentError, Option } from 'commander'
import {
  type AccountChange,
  changeAccount,
  changeDefaultConnections,
  openAccount,
} from '../admin/accounts.ts'
import { Account } from '../db/entities/account.ts'
import { isDocument, normalizeDocument } from '../domain/pix/document.ts'
import { isAccountTimeZone } from '../domain/shared/time-zone.ts'
import { WRONG_PAYER_POLICIES, type WrongPayerPolicy } from '../domain/unmatched/deposit-return.ts'
import { type AuditedContext, type OperatorCommand, parseText, parseUuid } from './command-context.ts'

export function registerAccountCommands(trilho: OperatorCommand) {
  const account = trilho.command('account')

  account
    .auditedCommand('open', { isRoutine: true })
    .argument('<name>', 'name of the holder', parseText)
    .argument('<document>', 'CPF or CNPJ of the holder')
    .description('create an account')
    .run(async ({ em, operator, print }, name: string, document: string) => {
      const holder = { name, document: normalizeDocument(document.replaceAll(/[./-]/g, '')) }
      if (!isDocument(holder.document)) throw new Error('the document is not a valid CPF or CNPJ')
      const { uuid } = await openAccount(em, { ...operator, holder })
      print({ account_uuid: uuid })
    })

  account
    .command('list')
    .description('list the accounts with their policies')
    .run(async ({ em, print }) => {
      for (const account of await em.findAll(Account, { orderBy: { createdAt: 'asc' } }))
        print({
          account_uuid: account.uuid,
          name: account.name,
          status: account.status,
          unmatched: account.unmatchedPolicy,
          wrong_payer: account.wrongPayerPolicy,
          disputed_splits: account.disputedSplitPolicy,
          unique_external_ref: account.uniqueExternalRef,
          time_zone: account.timeZone,
        })
    })

  account
    .auditedCommand('defaults', { isRoutine: true })
    .argument('<account>', 'account UUID', parseUuid)
    .argument('<connections...>', 'connection UUIDs, preferred first', (value, before: string[] = []) => {
      if (before.includes(parseUuid(value))) throw new InvalidArgumentError(`${value} is repeated.`)
      return [...before, parseUuid(value)]
    })
    .description('replace the default providers of an account')
    .run(({ em, operator }, accountUuid: string, connectionUuids: string[]) =>
      changeDefaultConnections(em, { ...operator, accountUuid, connectionUuids }),
    )

  account
    .auditedCommand('policy')
    .argument('<account>', 'account UUID', parseUuid)
    .description(
      'set what is done with unmatched payments and with those of a wrong payer, who pays a disputed charge that was split, and whether external_ref must be unique',
    )
    .addOption(new Option('--unmatched <policy>').choices(['refund', 'keep']))
    .addOption(new Option('--wrong-payer <policy>').choices(WRONG_PAYER_POLICIES))
    .addOption(new Option('--disputed-splits <policy>').choices(['share', 'owner']))
    .addOption(new Option('--unique-external-ref <yes or no>').choices(['yes', 'no']))
    .run(
      (context, uuid: string, { unmatched, wrongPayer, disputedSplits, uniqueExternalRef }: PolicyOptions) =>
        requestAccountChange(context, uuid, {
          ...(unmatched && { unmatchedPolicy: unmatched }),
          ...(wrongPayer && { wrongPayerPolicy: wrongPayer }),
          ...(disputedSplits && { disputedSplitPolicy: disputedSplits }),
          ...(uniqueExternalRef && { uniqueExternalRef: uniqueExternalRef === 'yes' }),
        }),
    )

  account
    .auditedCommand('time-zone')
    .argument('<account>', 'account UUID', parseUuid)
    .argument('<zone>', 'name of the IANA database: America/Manaus', parseTimeZone)
    .description(
      'set the time zone whose days the statement, the reports and the dashboard of an account use',
    )
    .run((context, uuid: string, timeZone: string) => requestAccountChange(context, uuid, { timeZone }))

  account
    .auditedCommand('block')
    .argument('<account>', 'account UUID', parseUuid)
    .description(
      'block an account: new charges, transfers, refunds and keys are refused; reads, payments and notifications continue',
    )
    .run((context, uuid: string) => requestAccountChange(context, uuid, { status: 'BLOCKED' }))

  account
    .auditedCommand('unblock')
    .argument('<account>', 'account UUID', parseUuid)
    .description('unblock an account')
    .run((context, uuid: string) => requestAccountChange(context, uuid, { status: 'ACTIVE' }))
}

function parseTimeZone(value: string): string {
  if (isAccountTimeZone(value)) return value
  throw new InvalidArgumentError('it is not a time zone of the IANA database, as America/Sao_Paulo is.')
}

type PolicyOptions = {
  unmatched?: 'refund' | 'keep'
  wrongPayer?: WrongPayerPolicy
  disputedSplits?: 'share' | 'owner'
  uniqueExternalRef?: 'yes' | 'no'
}

async function requestAccountChange({ em, operator }: AuditedContext, uuid: string, change: AccountChange) {
  if (Object.keys(change).length === 0) throw new Error('no option is given: nothing to change')
  await changeAccount(em, { ...operator, uuid, change })
}
