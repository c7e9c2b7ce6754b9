import { createHash } from 'node:crypto'
import { createTransferBatch, requireValidBatch } from '../../../api/operations/transfer-batches.ts'
import { localTimeSchema, momentOfLocalTime } from '../../../contract/shared/time-zone.ts'
import { nameTableLines, parseBatchCsv } from '../../../contract/transfers/batch-csv.ts'
import { type CreateBatchBody, createBatchBody } from '../../../contract/transfers/transfer-batch.ts'
import { BATCH_MODES, SHORT_BALANCE_POLICIES } from '../../../domain/transfers/transfer-batch.ts'
import { ApiError, fail, failField } from '../../../http/api-error.ts'
import { MAX_BATCH_BYTES } from '../../../http/limits.ts'
import { type FieldErrors, limitFieldErrors, validateSchema } from '../../../http/validate.ts'
import { readSubmissionKey } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { listAccountModes, tokenWithMode } from '../connections.ts'
import { BATCHES_PAGE_PATH } from './batches.ts'
import { type LimitText, listBatchLimitTexts } from './order-limits.ts'

const PATH = `${BATCHES_PAGE_PATH}/new`
/** Items that the preview shows of a table. */
const PREVIEWED_ITEMS = 5

type BatchVisit = PageContext<'merchant'>

/** What the preview of a table shows: its errors by line, or what the form would send. */
type BatchPreview =
  | { kind: 'wrong'; errors: { line: string; field: string; messages: FieldErrors[string] }[] }
  | {
      kind: 'ready'
      checked: string
      count: number
      valueCents: number
      items: CreateBatchBody['items']
      limitTexts: LimitText[]
    }

/**
 * Registers the form that sends a table of transfers. Its first submission checks the table and stores nothing; the button of the
 * preview sends the table that was checked, and another one is checked again.
 */
export function registerBatchUpload({ get, post, dashboard }: DashboardRouter): void {
  get('transfers.write', PATH, visit => renderUpload(visit))

  post('transfers.write', PATH, {
    beforeBody: async () => undefined,
    async handle(visit) {
      const { em, upload, requestId } = visit
      const token = await tokenWithMode(visit)
      let lines: number[] = []
      let isSending = false
      try {
        const text = await readTable(upload.file)
        const checked = digestForm(visit, text)
        isSending = upload.checked === checked
        const table = parseBatchCsv(text)
        lines = table.lines
        const body = parseBatch(visit, table)
        if (isSending) {
          const idempotencyKey = readSubmissionKey(upload)
          const request = { em, token, body, idempotencyKey, requestId }
          const created = await createTransferBatch(dashboard.temporal, request)
          return redirect(`${BATCHES_PAGE_PATH}/${created.body.data.uuid}`)
        }
        await requireValidBatch({ em: em.fork(), token, body })
        const valueCents = body.items.reduce((sum, { value }) => sum + value, 0)
        const items = body.items.slice(0, PREVIEWED_ITEMS)
        return await renderUpload(visit, {
          kind: 'ready',
          checked,
          count: body.items.length,
          valueCents,
          items,
          limitTexts: await listBatchLimitTexts(visit, token, {
            valueCents,
            isScheduled: body.scheduled_for !== undefined,
          }),
        })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const { code, details, message } = error
        // What is sent may be stored. A check stores nothing, and its page shows every refusal where a script puts the preview.
        if (isSending && !details.errors) throw error
        const { t } = visit
        const errors = details.errors
          ? nameTableLines(details.errors, lines)
          : { file: [t.has(`refusal.${code}`) ? t(`refusal.${code}`) : message] }
        return renderUpload(visit, { kind: 'wrong', errors: listErrors(errors) })
      }
    },
    renderForm: visit => renderUpload(visit),
  })
}

async function readTable(file: unknown): Promise<string> {
  if (!(file instanceof Blob)) return failField('file', 'is required')
  if (file.size > MAX_BATCH_BYTES) fail('batch_too_large')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
  } catch {
    return failField('file', 'must be UTF-8: save the table as "CSV UTF-8"')
  }
}

/** Digests a table with the fields beside it: what the preview has shown is what its button sends. */
function digestForm({ upload, query }: BatchVisit, text: string): string {
  const { name, send_mode, on_short_balance, scheduled_for } = upload
  const form = [text, name, send_mode, on_short_balance, scheduled_for, query.mode]
  return createHash('sha256').update(JSON.stringify(form)).digest('base64url')
}

/** Reads the form as the body of POST /transfers/batches, or fails with all errors. */
function parseBatch(
  { upload, timeZone }: BatchVisit,
  { items, errors }: ReturnType<typeof parseBatchCsv>,
): CreateBatchBody {
  const readField = (name: string) => String(upload[name] ?? '').trim() || undefined
  const time = readField('scheduled_for')
  const isLocal = localTimeSchema.safeParse(time).success
  const input = {
    name: readField('name'),
    mode: readField('send_mode'),
    on_short_balance: readField('on_short_balance'),
    scheduled_for: isLocal ? momentOfLocalTime(time!, timeZone).toISOString() : time,
    items,
  }
  const result = validateSchema(createBatchBody, input, 'file')
  if (result.kind === 'valid' && Object.keys(errors).length === 0) return result.value
  const merged = { ...(result.kind === 'invalid' && result.errors), ...errors }
  return fail('validation_failed', { errors: limitFieldErrors(merged) })
}

/** Lists the errors of a table by line; those about the whole table come first. */
function listErrors(errors: FieldErrors) {
  return Object.entries(errors)
    .map(splitPath)
    .toSorted((one, other) => Number(one.line) - Number(other.line))
}

/** Splits the path of an error into line and field: `lines.14.value`; one without a line is about the whole table. */
function splitPath([path, messages]: [string, FieldErrors[string]]) {
  const [, line = '', field = ''] = /^lines\.(\d+)(?:\.(.+))?$/.exec(path) ?? ['', '', path]
  return { line, field, messages }
}

async function renderUpload(visit: BatchVisit, preview: BatchPreview | null = null) {
  const token = await tokenWithMode(visit)
  const model = {
    modes: await listAccountModes(visit),
    mode: token.mode,
    preview,
    sendModes: BATCH_MODES,
    balancePolicies: SHORT_BALANCE_POLICIES,
  }
  return createPage('batch-form', model, PATH)
}
