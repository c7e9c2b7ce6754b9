import type { CallerToken } from '../../../api/authorization/authenticate.ts'
import {
  findVisibleCodeReading,
  readPaymentCode,
  type SealedCode,
} from '../../../api/operations/code-readings.ts'
import {
  CODE_TRANSFERS_PATH,
  createCodeTransfer,
  quoteCodeTransfer,
} from '../../../api/operations/code-transfers.ts'
import type { CodeReader } from '../../../code-reader/reader.ts'
import { readCodeBody } from '../../../contract/qr-codes/code-reading.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import {
  type CreateCodeTransferBody,
  createCodeTransferBody,
} from '../../../contract/transfers/code-transfer.ts'
import type { StoredCodeReading } from '../../../db/entities/code-reading.ts'
import { normalizePixKey } from '../../../domain/pix-keys/key-format.ts'
import {
  type CodeChange,
  type CodeObstacle,
  findCodeObstacle,
} from '../../../domain/qr-codes/code-payment.ts'
import type { CodeReading } from '../../../domain/qr-codes/code-reading.ts'
import { ApiError } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { Sealer } from '../../../security/sealing.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { parseFormFields, readText } from '../../http/form.ts'
import { createPage } from '../../http/page.ts'
import type { DashboardRouter } from '../../http/router.ts'
import type { ShownFact } from '../../http/shown-facts.ts'
import { listAccountModes, tokenWithMode } from '../connections.ts'
import { CODE_FORM_PATH, TRANSFER_DESTINATIONS } from './destinations.ts'
import { findKeyLookup, SKIPPABLE_REFUSALS } from './key-step.ts'
import {
  readOrderFields,
  registerOrderForm,
  type ShownDestination,
  type TransferVisit,
} from './order-form.ts'
import { describeKey, findShownReceiver, type ShownReceiver, showDocument } from './receiver.ts'

/** A stored reading of the form's mode, with what is sealed of it. */
type OpenedReading = { row: StoredCodeReading; code: SealedCode; obstacle: CodeObstacle | null }

/** Registers the form that pays a PIX code: the code, which is read at the bank of its receiver, and what follows. */
export function registerCodeForm(router: DashboardRouter): void {
  const { post, dashboard } = router
  const { sealer } = dashboard
  const renderFirstStep = async (visit: TransferVisit) => renderCodeStep(visit, sealer)
  const renderForm = registerOrderForm<CreateCodeTransferBody>(router, {
    name: 'code',
    apiPath: CODE_TRANSFERS_PATH,
    carriedFields: ['payload', 'read_uuid', 'lookup_uuid'],
    canSchedule: false,
    parseOrder: parseCodeOrder,
    async quote(visit, request) {
      const codeReader =
        (await findStoredReader(visit, { token: request.token, sealer })) ?? dashboard.codeReader
      return nameCodeFailure(visit, quoteCodeTransfer({ ...dashboard, codeReader }, request))
    },
    create: (visit, request) => nameCodeFailure(visit, createCodeTransfer(dashboard, request)),
    describe: (visit, token) => describeCode(visit, { token, sealer }),
    renderFirstStep,
  })

  post('transfers.write', `${CODE_FORM_PATH}/read`, {
    async handle(visit) {
      const { em, form, requestId } = visit
      for (const name of ['read_uuid', 'lookup_uuid']) form.delete(name)
      // Where it was copied from a document, a code may be broken into lines.
      const payload = readText(form, 'payload')?.replaceAll(/[\r\n]+/g, '')
      const body = parseFormFields(readCodeBody, { payload })
      const token = await tokenWithMode(visit)
      const { uuid, kind } = await readPaymentCode(dashboard, { em, token, body, requestId })
      form.set('read_uuid', uuid)
      const reading = await openReading(visit, { token, sealer })
      if (kind === 'STATIC' && reading && !reading.obstacle) await lookUpOwner(dashboard, visit, reading)
      if (!form.has('value')) form.set('value', '')
      return renderForm(visit)
    },
    renderForm: renderFirstStep,
  })
}

/** Reads the fields of the form as the body of POST /transfers/qr-codes. */
function parseCodeOrder(visit: TransferVisit): CreateCodeTransferBody {
  const { form } = visit
  const errors: FieldErrors = {}
  const fields = {
    ...readOrderFields(visit, errors),
    read_uuid: readText(form, 'read_uuid'),
    lookup_uuid: readText(form, 'lookup_uuid'),
  }
  return parseFormFields(createCodeTransferBody, fields, errors)
}

/** Adds to a refusal of a code, at its field, why it cannot be paid or what of it has changed since it was read. */
async function nameCodeFailure<T>({ t }: TransferVisit, order: Promise<T>): Promise<T> {
  return order.catch(error => {
    if (!(error instanceof ApiError)) throw error
    const { reason, changed = [] } = Object(error.details.data) as {
      reason?: CodeObstacle
      changed?: CodeChange[]
    }
    const { read_uuid: ofReading = [], ...others } = error.details.errors ?? {}
    const texts = [
      ...ofReading,
      ...(error.code === 'qr_not_payable' && reason ? [t(`codeObstacle.${reason}`)] : []),
      ...(error.code === 'qr_changed' ? changed.map(one => t(`codeChange.${one}`)) : []),
    ]
    if (texts.length === 0) throw error
    throw new ApiError(error.code, { ...error.details, errors: { ...others, payload: texts } })
  })
}

/** Finds the reading that the form names; null where it names none, or one that may not be paid in its mode. */
async function openReading(
  { em, form }: Pick<TransferVisit, 'em' | 'form'>,
  { token, sealer }: { token: CallerToken; sealer: Sealer },
): Promise<OpenedReading | null> {
  const uuid = uuidSchema.safeParse(form.get('read_uuid')).data
  const row = uuid && (await findVisibleCodeReading(em.fork(), { ...token, modeScope: token.mode }, uuid))
  if (!row) return null
  const code = sealer.open<SealedCode>(row.sealedCode)
  const pixKey = normalizePixKey(code.pixKey)
  return { row, code, obstacle: findCodeObstacle({ status: row.status, kind: row.kind, pixKey }) }
}

/**
 * Finds what reads a confirmed code as it was stored; null before it is confirmed. Its order reads it at its bank once more, and is refused
 * where it has changed.
 */
async function findStoredReader(
  visit: TransferVisit,
  caller: { token: CallerToken; sealer: Sealer },
): Promise<CodeReader | null> {
  const opened = visit.form.has('confirmed') ? await openReading(visit, caller) : null
  if (!opened) return null
  const { row, code } = opened
  const reading: CodeReading = {
    kind: row.kind,
    receiverName: row.receiver.name,
    receiverDocument: code.receiverDocument,
    pixKey: code.pixKey,
    txid: code.txid,
    value: {
      originalCents: row.originalCents,
      dueNowCents: row.dueNowCents,
      fineCents: row.fineCents,
      interestCents: row.interestCents,
      discountCents: row.discountCents,
      abatementCents: row.abatementCents,
      isOpen: row.isOpen,
    },
    status: row.status,
    expiresAt: row.expiresAt ?? null,
    signature: row.signature,
  }
  return async () => ({ kind: 'read', reading })
}

/** Looks up the owner of a static code, whose name anyone may have written; the transfer then goes to that owner. */
async function lookUpOwner(dashboard: DashboardContext, visit: TransferVisit, { code }: OpenedReading) {
  const body = { pix_key: normalizePixKey(code.pixKey) }
  const lookup = await findKeyLookup(dashboard, visit, body).catch(error => {
    // What says nothing about the key leaves the form without a look-up.
    if (error instanceof ApiError && SKIPPABLE_REFUSALS.includes(error.code)) return null
    throw error
  })
  if (lookup) visit.form.set('lookup_uuid', lookup.uuid)
}

/** Describes the code of the form; null where none was read, or it cannot be paid. */
async function describeCode(
  visit: TransferVisit,
  caller: { token: CallerToken; sealer: Sealer },
): Promise<ShownDestination | null> {
  const reading = await openReading(visit, caller)
  if (!reading || reading.obstacle) return null
  const receiver = await findShownReceiver(visit, caller)
  const { row, code } = reading
  const pixKey = normalizePixKey(code.pixKey)
  const { isOpen, dueNowCents } = row
  return {
    // Limits see the key that a code pays.
    destination: { kind: 'key', pixKey, document: null },
    name: receiver?.name || row.receiver.name || describeKey(pixKey, visit).shown,
    facts: listCodeFacts(visit, reading, receiver),
    warnings: listCodeWarnings(visit, reading, receiver),
    ...(isOpen ? dueNowCents > 0 && { proposedCents: dueNowCents } : { fixedCents: dueNowCents }),
  }
}

/** Lists what a form and its review show of a code. `receiver`: the owner of its key, where it was looked up. */
function listCodeFacts(
  { t, f }: TransferVisit,
  { row, code }: OpenedReading,
  receiver: ShownReceiver | null,
): ShownFact[] {
  const owner = receiver ?? { ...row.receiver, bank: '' }
  const key = describeKey(normalizePixKey(code.pixKey), { f })
  const shownDocument = showDocument(owner.document, f)
  const changed = row.originalCents !== row.dueNowCents
  const amounts = [
    ['code.original', changed ? row.originalCents : 0],
    ['code.fine', row.fineCents],
    ['code.interest', row.interestCents],
    ['code.discount', -row.discountCents],
    ['code.abatement', -row.abatementCents],
  ] as const
  return [
    { name: 'field.receiver', value: owner.name || '–' },
    ...(shownDocument ? [{ name: 'field.document', value: shownDocument }] : []),
    ...(owner.bank ? [{ name: 'field.bank', value: owner.bank }] : []),
    ...(code.pixKey ? [{ name: 'field.pix_key', value: key.shown }] : []),
    { name: 'code.kind', value: t(`codeKind.${row.kind}`) },
    ...(row.txid ? [{ name: 'field.txid', value: row.txid }] : []),
    ...amounts
      .filter(([, cents]) => cents !== 0 && !row.isOpen)
      .map(([name, cents]) => ({ name, value: f.money(cents) })),
    ...(row.expiresAt ? [{ name: 'field.expires_at', value: f.plainTime(row.expiresAt) }] : []),
    ...(row.signature === 'VERIFIED' ? [{ name: 'code.signature', value: t('code.verified') }] : []),
  ]
}

/** Lists what a code says that cannot be paid, with the value that it asks for. */
function listRefusedFacts(visit: TransferVisit, reading: OpenedReading): ShownFact[] {
  const { isOpen, dueNowCents } = reading.row
  const value = { name: 'field.value', value: visit.f.money(dueNowCents) }
  return [...listCodeFacts(visit, reading, null), ...(isOpen ? [] : [value])]
}

/** Lists reasons to look twice at a code: whose name nobody has verified, or which is the account's own. */
function listCodeWarnings({ t }: TransferVisit, { row }: OpenedReading, receiver: ShownReceiver | null) {
  const isStatic = row.kind === 'STATIC'
  return [
    ...(isStatic && !receiver ? [t('code.nameOnly')] : []),
    ...(receiver && !isSameName(receiver.name, row.receiver.name)
      ? [t('code.otherName', { name: row.receiver.name })]
      : []),
    ...(!isStatic && row.signature === 'UNVERIFIED' ? [t('code.unverified')] : []),
    ...(row.ownChargeUuid ? [t('code.own')] : []),
  ]
}

/** Tells whether a code, whose names have 25 characters at most, names an owner as its bank does. */
function isSameName(owner: string, written: string): boolean {
  const [full, short] = [owner, written].map(name =>
    name
      .normalize('NFKD')
      .replaceAll(/[^\p{L}\p{N}]/gu, '')
      .toLowerCase(),
  ) as [string, string]
  return short !== '' && full.startsWith(short)
}

/** Renders the first step: the code, and, where one was read that cannot be paid, what it says and why. */
async function renderCodeStep(visit: TransferVisit, sealer: Sealer) {
  const { t, form } = visit
  const token = await tokenWithMode(visit)
  const reading = await openReading(visit, { token, sealer })
  const obstacle = reading?.obstacle
  const model = {
    modes: await listAccountModes(visit),
    mode: token.mode,
    destinations: TRANSFER_DESTINATIONS,
    destination: 'code',
    payload: form.get('payload') ?? '',
    obstacle: obstacle && t(`codeObstacle.${obstacle}`),
    facts: reading && obstacle ? listRefusedFacts(visit, reading) : [],
    warnings: [],
  }
  return createPage('transfer-code', model, CODE_FORM_PATH)
}
