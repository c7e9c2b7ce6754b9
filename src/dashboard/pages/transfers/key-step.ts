import type { z } from 'zod'
import { lookUpPixKey } from '../../../api/operations/key-lookups.ts'
import { lookUpKeyBody } from '../../../contract/pix-keys/key-lookup.ts'
import { findPaidReceivers } from '../../../db/repositories/paid-receivers.ts'
import { maskDocument } from '../../../domain/pix/document.ts'
import { interpretTypedKey } from '../../../domain/pix-keys/key-format.ts'
import { ApiError } from '../../../http/api-error.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { parseFormFields, readText } from '../../http/form.ts'
import { createPage, type DashboardResponse } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import { listAccountModes, tokenWithMode } from '../connections.ts'
import { TRANSFER_DESTINATIONS, TRANSFER_FORM_PATH } from './destinations.ts'
import {
  describeKey,
  findShownReceiver,
  listKeyFacts,
  listReceiverWarnings,
  type ShownReceiver,
} from './receiver.ts'

/** First step of a transfer to a key: its key, and the look-up of its owner. */

type TransferVisit = PageContext<'merchant'>

/** Refusals of a look-up after which the transfer may be made without one: they say nothing about the key. */
export const SKIPPABLE_REFUSALS = ['lookup_budget_low', 'too_many_lookups', 'no_provider_available']

/**
 * Looks up the key of the form, unless its user chose not to, and puts the look-up into the form. Returns the page that asks what to do
 * where the key belongs to another document than the one typed; otherwise null. A bank that looks up nothing leaves the form without a
 * look-up.
 */
export async function askForReceiver(
  dashboard: DashboardContext,
  visit: TransferVisit,
): Promise<DashboardResponse | null> {
  const { form } = visit
  const { document: typedDocument, ...key } = parseKey(visit)
  // The user has seen that the owner is another one, and pays that owner.
  const isOtherAccepted = form.get('other_owner') === 'true'
  const document = isOtherAccepted ? undefined : typedDocument
  form.set('pix_key', key.pix_key)
  for (const name of ['other_owner', 'lookup_uuid', 'named_document']) form.delete(name)
  if (form.get('unchecked') === 'true') return null
  const lookup = await findKeyLookup(dashboard, visit, { ...key, document })
  if (!lookup) return null
  form.set('lookup_uuid', lookup.uuid)
  const isProved = lookup.document_match === 'MATCH'
  // What is not proved is compared and not enforced: the look-up binds the transfer to its owner.
  form.delete('document')
  if (typedDocument) form.set(isProved ? 'document' : 'named_document', typedDocument)
  if (lookup.document_match !== 'MISMATCH') return null
  const token = await tokenWithMode(visit)
  const receiver = await findShownReceiver(visit, { token, sealer: dashboard.sealer })
  form.delete('lookup_uuid')
  return renderKeyStep(visit, receiver)
}

/** Looks a key up; null where the banks of the account look up nothing. */
export async function findKeyLookup(
  dashboard: DashboardContext,
  visit: TransferVisit,
  body: z.output<typeof lookUpKeyBody>,
) {
  const { em, requestId } = visit
  const token = await tokenWithMode(visit)
  try {
    return await lookUpPixKey(dashboard, { em, token, body, requestId })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'lookup_not_supported') return null
    throw error
  }
}

/** Reads the fields of the form as the body of POST /pix-keys/lookup. */
function parseKey({ form }: TransferVisit) {
  const key = readText(form, 'pix_key')
  return parseFormFields(lookUpKeyBody, {
    pix_key: key && (interpretTypedKey(key)?.key ?? key),
    document: readText(form, 'document')?.replaceAll(/[\s.\-/]/g, ''),
  })
}

/** Renders the form of the key; with the owner of a key that belongs to another document than the one typed. */
export async function renderKeyStep(visit: TransferVisit, otherOwner: ShownReceiver | null = null) {
  const { form } = visit
  const { mode } = await tokenWithMode(visit)
  const typedKey = describeKey(form.get('pix_key') ?? '', visit)
  const model = {
    modes: await listAccountModes(visit),
    mode,
    destinations: TRANSFER_DESTINATIONS,
    destination: 'key',
    typedKey,
    document: form.get('document') ?? form.get('named_document') ?? '',
    paid: await describePaidReceiver(visit),
    contacts: await listContacts(visit, mode),
    otherOwner,
    facts: otherOwner ? listKeyFacts(visit, typedKey, otherOwner) : [],
    warnings: otherOwner ? listReceiverWarnings(visit, otherOwner) : [],
    skippableRefusals: SKIPPABLE_REFUSALS,
  }
  return createPage('transfer-key', model, TRANSFER_FORM_PATH)
}

/** Lists the keys that the account has paid before, which the field of the key offers while it is typed. */
async function listContacts({ em, token: { accountUuid } }: TransferVisit, mode: string) {
  const receivers = await findPaidReceivers(em.fork(), { accountUuid, isSimulated: mode === 'test' })
  return receivers.map(({ pixKey, name, document }) => ({
    pixKey,
    label: [name, document && maskDocument(document)].filter(Boolean).join(' · '),
  }))
}

/** Describes how often the key of the form was paid before; null where it never was. */
export async function describePaidReceiver(visit: TransferVisit): Promise<string | null> {
  const { em, form, t, f } = visit
  const pixKey = interpretTypedKey(form.get('pix_key') ?? '')?.key
  if (pixKey === undefined) return null
  const { accountUuid, mode } = await tokenWithMode(visit)
  const [paid] = await findPaidReceivers(em.fork(), { accountUuid, isSimulated: mode === 'test', pixKey })
  if (!paid) return null
  const gaps = { n: f.number(paid.transfers), name: paid.name ?? '–', time: f.plainTime(paid.lastAt) }
  return t(paid.transfers === 1 ? 'transfer.paidOnce' : 'transfer.paidBefore', gaps)
}
