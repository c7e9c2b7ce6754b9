import { z } from 'zod'
import { listTestCodes } from '../../api/operations/auth-codes.ts'
import { mapPage } from '../../api/operations/pagination.ts'
import {
  countCreationAttempt,
  createPixKey,
  isPixKeyRemoved,
  listPixKeys,
  removePixKey,
  requestAuthCode,
  requireVisiblePixKey,
} from '../../api/operations/pix-keys.ts'
import {
  createPixKeyBody,
  pixKeysQuery,
  requestCodeBody,
  showPixKey,
} from '../../contract/pix-keys/pix-key.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { MAX_KEY_LENGTH } from '../../domain/pix-keys/key-format.ts'
import { PIX_KEY_TYPES, VERIFIED_KEY_TYPES } from '../../domain/pix-keys/pix-key.ts'
import { hasPermission } from '../authorization/page-permission.ts'
import type { Confirmation } from '../http/confirmation.ts'
import type { DashboardContext } from '../http/dashboard-context.ts'
import { parseFormFields, readSubmissionKey } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { createListFiles, nameFile } from './account-list.ts'
import { listAccountModes, listConnections, tokenWithMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'
import { loadRelated } from './related.ts'

const PATH = '/dashboard/keys'
const removeFormSchema = z.object({ key: z.string().min(1).max(MAX_KEY_LENGTH) })

const FILE_PATH = `${PATH}/keys.csv`

/** Columns of the list as CSV. */
const PIX_KEY_COLUMNS: CsvColumns<ReturnType<typeof showPixKey>> = {
  created_at: one => one.created_at,
  type: one => one.type,
  key: one => one.key,
  is_active: one => one.is_active,
  provider: one => one.provider.provider,
  provider_uuid: one => one.provider.uuid,
}

export function registerPixKeyPages({ get, post, dashboard }: DashboardRouter): void {
  const openListFile = createListFiles()

  get('money.read', PATH, visit => renderPixKeys(dashboard, visit))

  get('money.read', FILE_PATH, async visit => {
    const token = await tokenWithMode(visit)
    return openListFile(visit, {
      name: await nameFile(visit, { name: 'keys', mode: token.mode }),
      columns: PIX_KEY_COLUMNS,
      schema: pixKeysQuery,
      list: async query => mapPage(await listPixKeys(visit.em.fork(), token, query), showPixKey),
    })
  })

  /** First step of an e-mail or phone key: sends a six-digit code, and the page asks for it. */
  post('keys.write', `${PATH}/code`, {
    async handle(visit) {
      const body = parseFormFields(requestCodeBody, visit.form)
      const context = { ...(await readOperationContext(visit)), body }
      const { data } = (await requestAuthCode(dashboard, context)).body
      const { type, key: address, provider_uuid: provider } = body
      return renderPixKeys(dashboard, visit, { ...data, type, address, provider })
    },
    renderForm: visit => renderPixKeys(dashboard, visit),
  })

  post('keys.write', PATH, {
    async handle(visit) {
      const context = await readOperationContext(visit)
      await countCreationAttempt({ ...context, em: visit.em.fork() })
      const body = parseFormFields(createPixKeyBody, visit.form)
      await createPixKey(dashboard, { ...context, body })
      return redirect(PATH, 'key_created', context.token.mode)
    },
    renderForm: visit => renderPixKeys(dashboard, visit, readPendingVerification(visit)),
  })

  post('keys.write', `${PATH}/remove`, {
    confirm: confirmRemoval,
    async handle(visit) {
      const { key } = parseFormFields(removeFormSchema, visit.form)
      const context = await readOperationContext(visit)
      // The same form once more, or another user's: the key is removed.
      if (!(await isPixKeyRemoved(visit.em.fork(), context.token, key)))
        await removePixKey(dashboard.temporal, { ...context, key })
      return redirect(PATH, 'key_removed', context.token.mode)
    },
    renderForm: visit => renderPixKeys(dashboard, visit),
  })

  // After the forms, whose names are no uuid. By uuid, because a key is a document, an e-mail or a phone number, which no log of addresses should have.
  get('money.read', `${PATH}/:uuid`, async visit => {
    const { uuid } = visit.params
    const token = await tokenWithMode(visit)
    const row = await requireVisiblePixKey(visit.em.fork(), token, { uuid })
    const related = await loadRelated(visit, {
      uuid,
      attempted: { uuid, operations: ['create_key', 'delete_key'] },
      ledgerUuid: null,
      actionSubjects: [`pix-key/${uuid}`, `pix-key/${uuid}/removal`],
    })
    return createPage('key', { uuid, key: showPixKey(row), related, mode: token.mode }, `${PATH}/${uuid}`)
  })
}

async function confirmRemoval(visit: PageContext<'merchant'>): Promise<Confirmation | null> {
  const { key } = parseFormFields(removeFormSchema, visit.form)
  const token = await tokenWithMode(visit)
  const { mode } = token
  const { t } = visit
  if (await isPixKeyRemoved(visit.em.fork(), token, key)) return null
  const row = showPixKey(await requireVisiblePixKey(visit.em.fork(), token, { key }))
  return {
    title: t('key.removeAsk', { key }),
    button: t('key.removeNow'),
    facts: [
      { name: 'field.key', value: key },
      { name: 'field.mode', value: t(`token.${mode}`) },
      { name: 'field.status', value: row.is_active ? t('key.active') : t('key.removing') },
    ],
    means: t('key.removeMeans'),
    isDangerous: true,
    back: `${PATH}?mode=${mode}`,
  }
}

/** Builds the operation context; the form's submission id is the Idempotency-Key, so a repeated form acts once. */
async function readOperationContext(visit: PageContext<'merchant'>) {
  const { em, form, requestId } = visit
  const idempotencyKey = form.has('once') ? readSubmissionKey(form) : null
  return { em, requestId, idempotencyKey, token: await tokenWithMode(visit) }
}

type PendingVerification = {
  auth_code_id: string
  type: string
  address: string
  provider?: string | undefined
}

async function renderPixKeys(
  { sealer }: DashboardContext,
  visit: PageContext<'merchant'>,
  verification?: PendingVerification | null,
) {
  const token = await tokenWithMode(visit)
  const { rows, ...list } = await listByFilters(visit, pixKeysQuery, query =>
    listPixKeys(visit.em.fork(), token, query),
  )
  const allConnections = await listConnections(visit.em, { ...token, modeScope: token.mode })
  const unverifiedTypes = PIX_KEY_TYPES.filter(
    type => !(VERIFIED_KEY_TYPES as readonly string[]).includes(type),
  )
  const showsCodes = token.mode === 'test' && hasPermission(visit.session, 'keys.write')
  const model = {
    ...list,
    rows: rows.map(row => ({ ...showPixKey(row), uuid: row.uuid })),
    connections: allConnections.filter(({ type }) => type === 'NOMINAL'),
    mode: token.mode,
    modes: await listAccountModes(visit),
    verification,
    testCodes: showsCodes ? await listTestCodes(visit.em.fork(), sealer, token.accountUuid) : [],
    unverifiedTypes,
    verifiedTypes: VERIFIED_KEY_TYPES,
    file: FILE_PATH,
  }
  return createPage('keys', model, PATH)
}

/** Reads the pending verification from the form, so that the page asks for the code again after a wrong one. */
function readPendingVerification({ form }: PageContext<'merchant'>): PendingVerification | null {
  const id = form.get('auth_code_id')
  if (!id) return null
  const provider = form.get('provider_uuid') ?? undefined
  return { auth_code_id: id, type: form.get('type') ?? '', address: form.get('address') ?? '', provider }
}
