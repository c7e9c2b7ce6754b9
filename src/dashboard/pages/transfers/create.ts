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
import { detectDocumentKind } from '../../../domain/pix/document.ts'
import { interpretTypedKey } from '../../../domain/pix-keys/key-format.ts'
import { ApiError } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields, readAmount, readSubmissionKey, readText } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { listAccountModes, listConnections, tokenWithMode } from '../connections.ts'
import { TRANSFERS_PAGE_PATH } from './transfers.ts'

const PATH = `${TRANSFERS_PAGE_PATH}/new`
/** Time in which an equal transfer to the same key is pointed out. */
const EQUAL_TRANSFER_MS = 24 * 60 * 60_000

type TransferVisit = PageContext<'merchant'>

/** Registers the form that sends a transfer, its review, and the recognition of the key while it is typed. */
export function registerTransferForm({ get, post, dashboard }: DashboardRouter): void {
  get('transfers.write', PATH, renderTransferForm)

  post('transfers.write', PATH, {
    confirm: confirmTransfer,
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

  post('transfers.write', `${PATH}/key`, {
    handle: async visit =>
      createPage('key-kind', { typedKey: describeKey(visit.form.get('pix_key') ?? '', visit) }),
    renderForm: renderTransferForm,
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
    document: readText(form, 'document')?.replaceAll(/[\s.\-/]/g, ''),
    external_ref: readText(form, 'external_ref'),
    provider_uuid: readText(form, 'provider_uuid'),
    allow_duplicate: form.get('allow_duplicate') === 'true' || undefined,
    scheduled_for: schedule && readLocalTime(schedule, visit.timeZone),
  }
  return parseFormFields(createTransferBody, fields, errors)
}

async function confirmTransfer(visit: TransferVisit): Promise<Confirmation | null> {
  const { em, form, t, f } = visit
  const token = await tokenWithMode(visit)
  const scope = { ...token, modeScope: token.mode }
  if (await isTransferCreated(em, { token, idempotencyKey: readSubmissionKey(form) })) return null
  const body = parseTransfer(visit)
  const { connectionUuid, feeCents } = await quoteTransfer({ em: em.fork(), token }, body)
  const { provider, balances } = await readVisibleProvider(em.fork(), scope, connectionUuid)
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
    title: t('transfer.ask', { amount, key: shown }),
    button: t(body.scheduled_for ? 'transfer.scheduleNow' : 'transfer.sendNow', { amount }),
    facts: [
      { name: 'field.pix_key', value: `${shown} (${t(`keyKind.${kind}`)})` },
      ...(body.document ? [{ name: 'transfer.holder', value: f.document(body.document) }] : []),
      { name: 'field.value', value: amount },
      { name: 'field.fees', value: f.money(feeCents) },
      { name: 'transfer.when', value: when },
      { name: 'field.external_ref', value: body.external_ref ?? '–' },
      { name: 'transfer.from', value: t(`provider.${provider}`), isInformative: true },
      { name: 'transfer.left', value: f.money(leftCents), isInformative: true },
    ],
    warnings: [
      ...(leftCents < 0 ? [t('transfer.warnBalance')] : []),
      ...(equalTransfer ? [t('transfer.warnEqual', { amount, age: f.age(equalTransfer.created_at) })] : []),
    ],
    means: t('transfer.means'),
    back: `${PATH}?mode=${token.mode}`,
    // The key is carried as it was understood, and the consent to an equal transfer that the page names.
    fields: { pix_key: body.pix_key, ...(equalTransfer && { allow_duplicate: 'true' }) },
  }
}

/** Names the kind of a key, and formats it as people read it; kind null where the text is no key. */
function describeKey(text: string, { f }: Pick<PageContext, 'f'>) {
  const typedKey = interpretTypedKey(text)
  if (!typedKey) return { kind: null, shown: text }
  const { key, type } = typedKey
  if (type === 'DOCUMENT') return { kind: detectDocumentKind(key) ?? 'CPF', shown: f.document(key) }
  return {
    kind: type,
    shown: type === 'PHONE' ? key.replace(/^\+55(..)(.{5})(.{4})$/, '+55 ($1) $2-$3') : key,
  }
}

async function renderTransferForm(visit: TransferVisit) {
  const token = await tokenWithMode(visit)
  const connections = await listConnections(visit.em, { ...token, modeScope: token.mode })
  const model = {
    connections,
    modes: await listAccountModes(visit),
    mode: token.mode,
    availableCents: connections.reduce((sum, { balances }) => sum + (balances[0]?.available_balance ?? 0), 0),
    typedKey: describeKey(visit.form.get('pix_key') ?? '', visit),
  }
  return createPage('transfer-form', model, PATH)
}
