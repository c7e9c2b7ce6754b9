import { readVisibleProvider } from '../../../api/operations/providers.ts'
import {
  createTransfer,
  isTransferCreated,
  listTransfers,
  quoteTransfer,
} from '../../../api/operations/transfers.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { localTimeSchema, momentOfLocalTime } from '../../../contract/shared/time-zone.ts'
import {
  type CreateTransferBody,
  createTransferBody,
  transfersQuery,
} from '../../../contract/transfers/transfer.ts'
import { interpretTypedKey } from '../../../domain/pix-keys/key-format.ts'
import { ApiError } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { Sealer } from '../../../security/sealing.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields, readAmount, readSubmissionKey, readText } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import type { ShownFact } from '../../http/shown-facts.ts'
import { listConnections, tokenWithMode } from '../connections.ts'
import { TRANSFER_FORM_PATH } from './destinations.ts'
import { askForReceiver, renderKeyStep } from './key-step.ts'
import { describeKey, findShownReceiver, listReceiverWarnings, type ShownReceiver } from './receiver.ts'
import { TRANSFERS_PAGE_PATH } from './transfers.ts'

/** Time in which an equal transfer to the same key is pointed out. */
const EQUAL_TRANSFER_MS = 24 * 60 * 60_000

type TransferVisit = PageContext<'merchant'>

/**
 * Registers the form that sends a transfer: the key, whose owner is looked up; the value, beside the owner; the review. And the
 * recognition of the key while it is typed.
 */
export function registerTransferForm({ get, post, dashboard }: DashboardRouter): void {
  const { sealer } = dashboard
  const renderTransferForm = async (visit: TransferVisit) =>
    (await renderValueStep(visit, sealer)) ?? renderKeyStep(visit)
  get('transfers.write', TRANSFER_FORM_PATH, renderTransferForm)

  post('transfers.write', `${TRANSFER_FORM_PATH}/receiver`, {
    async handle(visit) {
      const question = await askForReceiver(dashboard, visit)
      if (question) return question
      if (!visit.form.has('value')) visit.form.set('value', '')
      return renderTransferForm(visit)
    },
    renderForm: visit => renderKeyStep(visit),
  })

  post('transfers.write', TRANSFER_FORM_PATH, {
    confirm: visit => confirmTransfer(visit, sealer),
    async handle(visit) {
      const { em, form, requestId } = visit
      const token = await tokenWithMode(visit)
      const idempotencyKey = readSubmissionKey(form)
      const request = { em, token, body: parseTransfer(visit), idempotencyKey, requestId }
      const uuid = await createTransfer(dashboard, request).then(
        created => created.body.data.uuid,
        readUuidOfFailed,
      )
      return redirect(`${TRANSFERS_PAGE_PATH}/${uuid}`)
    },
    renderForm: renderTransferForm,
  })

  post('transfers.write', `${TRANSFER_FORM_PATH}/key`, {
    handle: async visit =>
      createPage('key-kind', { typedKey: describeKey(visit.form.get('pix_key') ?? '', visit) }),
    renderForm: visit => renderKeyStep(visit),
  })
}

/** A transfer that failed has a page that shows why; every other failure is shown above the form. */
function readUuidOfFailed(error: unknown): string {
  const data = error instanceof ApiError && error.details.isFinalForKey ? error.details.data : undefined
  const uuid = uuidSchema.safeParse(Object(data).uuid)
  if (!uuid.success) throw error
  return uuid.data
}

/** Reads the time of a field without a zone, which is in the time zone of the page; what is no time stays as it is. */
function readLocalTime(text: string, timeZone: string): string {
  return localTimeSchema.safeParse(text).success ? momentOfLocalTime(text, timeZone).toISOString() : text
}

/** Reads the fields of the form as the body of POST /transfers. */
function parseTransfer(visit: TransferVisit): CreateTransferBody {
  const { form } = visit
  const errors: FieldErrors = {}
  const key = readText(form, 'pix_key')
  const schedule = readText(form, 'scheduled_for')
  const fields = {
    value: readAmount(visit, 'value', errors),
    pix_key: key && (interpretTypedKey(key)?.key ?? key),
    lookup_uuid: readText(form, 'lookup_uuid'),
    document: readText(form, 'document')?.replaceAll(/[\s.\-/]/g, ''),
    external_ref: readText(form, 'external_ref'),
    provider_uuid: readText(form, 'provider_uuid'),
    allow_duplicate: form.get('allow_duplicate') === 'true' || undefined,
    scheduled_for: schedule && readLocalTime(schedule, visit.timeZone),
  }
  return parseFormFields(createTransferBody, fields, errors)
}

async function confirmTransfer(visit: TransferVisit, sealer: Sealer): Promise<Confirmation | null> {
  const { em, form, t, f } = visit
  const token = await tokenWithMode(visit)
  const scope = { ...token, modeScope: token.mode }
  if (await isTransferCreated(em, { token, idempotencyKey: readSubmissionKey(form) })) return null
  const body = parseTransfer(visit)
  const { connectionUuid, feeCents } = await quoteTransfer({ em: em.fork(), token, sealer }, body)
  const { provider, balances } = await readVisibleProvider(em.fork(), scope, connectionUuid)
  const receiver = await findShownReceiver(visit, { token, sealer })
  const amount = f.money(body.value)
  const { kind, shown } = describeKey(body.pix_key, { f })
  const leftCents = (balances[0]?.available_balance ?? 0) - body.value - feeCents
  const query = transfersQuery.parse({ pix_key: body.pix_key })
  const equalTransfer = (await listTransfers(em.fork(), scope, query)).data.find(
    other =>
      other.value === body.value &&
      other.status !== 'FAILED' &&
      other.created_at.getTime() > Date.now() - EQUAL_TRANSFER_MS,
  )
  const when = body.scheduled_for ? f.plainTime(body.scheduled_for) : t('transfer.atOnce')
  return {
    title: t('transfer.ask', { amount, receiver: receiver?.name || shown }),
    button: t(body.scheduled_for ? 'transfer.scheduleNow' : 'transfer.sendNow', { amount }),
    facts: [
      ...(receiver ? listReceiverFacts(receiver, f) : []),
      { name: 'field.pix_key', value: `${shown} (${t(`keyKind.${kind}`)})` },
      ...(body.document && !receiver ? [{ name: 'transfer.holder', value: f.document(body.document) }] : []),
      { name: 'field.value', value: amount },
      { name: 'field.fees', value: f.money(feeCents) },
      { name: 'transfer.when', value: when },
      { name: 'field.external_ref', value: body.external_ref ?? '–' },
      { name: 'transfer.from', value: t(`provider.${provider}`), isInformative: true },
      { name: 'transfer.left', value: f.money(leftCents), isInformative: true },
    ],
    warnings: [
      ...listReceiverWarnings(visit, receiver),
      ...(leftCents < 0 ? [t('transfer.warnBalance')] : []),
      ...(equalTransfer ? [t('transfer.warnEqual', { amount, age: f.age(equalTransfer.created_at) })] : []),
    ],
    means: t('transfer.means'),
    back: `${TRANSFER_FORM_PATH}?mode=${token.mode}`,
    // The key is carried as it was understood, and the consent to an equal transfer that the page names.
    fields: { pix_key: body.pix_key, ...(equalTransfer && { allow_duplicate: 'true' }) },
  }
}

function listReceiverFacts({ name, document, bank }: ShownReceiver, f: PageContext['f']): ShownFact[] {
  return [
    { name: 'field.receiver', value: name || '–' },
    { name: 'field.document', value: f.document(document) || '–' },
    { name: 'field.bank', value: bank || '–' },
  ]
}

/**
 * Renders the second step, beside whom the transfer would pay; null where the form has no key and value yet, or its look-up is too old
 * to be named.
 */
async function renderValueStep(visit: TransferVisit, sealer: Sealer) {
  const { form } = visit
  const typedKey = describeKey(form.get('pix_key') ?? '', visit)
  if (typedKey.kind === null || !form.has('value')) return null
  const token = await tokenWithMode(visit)
  const receiver = await findShownReceiver(visit, { token, sealer })
  if (!receiver && form.get('lookup_uuid')) return null
  const connections = await listConnections(visit.em, { ...token, modeScope: token.mode })
  const model = {
    connections,
    mode: token.mode,
    availableCents: connections.reduce((sum, { balances }) => sum + (balances[0]?.available_balance ?? 0), 0),
    typedKey,
    receiver,
    warnings: listReceiverWarnings(visit, receiver),
  }
  return createPage('transfer-value', model, TRANSFER_FORM_PATH)
}
