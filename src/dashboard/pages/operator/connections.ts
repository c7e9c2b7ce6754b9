import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import {
  CREDENTIALS_SCHEMAS,
  onboardConnection,
  REQUIRED_PERMISSIONS,
  renewCredentials,
} from '../../../admin/connection-onboarding.ts'
import { changeConnection, OnboardingRefused } from '../../../admin/connections.ts'
import { CredentialsRefused } from '../../../admin/credentials.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { Account } from '../../../db/entities/account.ts'
import { Connection, ProviderAccount } from '../../../db/entities/connection.ts'
import { OperatorAction } from '../../../db/entities/operator-action.ts'
import { listProviderAccountHolders } from '../../../db/repositories/provider-account-identities.ts'
import { FEE_LINES, type Fee, feeFromText, formatFee } from '../../../domain/ledger/money.ts'
import { isIspb, normalizeIspb } from '../../../domain/pix/ispb.ts'
import {
  CONNECTION_STATUSES,
  PROVIDER_APIS,
  PROVIDER_NAMES,
  type ProviderApi,
} from '../../../domain/providers/provider.ts'
import { fail, failField } from '../../../http/api-error.ts'
import { getRequestDeadline } from '../../../http/request-deadline.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { parseFormFields, reasonSchema, validateFormFields } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { encodeFacts, type ShownFact } from '../../http/shown-facts.ts'
import { readFormUuid, requireMerchantAccount } from './account.ts'
import { listCapabilityFacts } from './capabilities.ts'
import {
  CONNECTIONS_PATH,
  connectionChangeFields,
  describeConnection,
  requireConnection,
} from './connection-facts.ts'
import { readAmountField, readLimitField, registerConnectionLimitForm } from './connection-limit.ts'
import { ACCOUNTS_PATH, registerOperatorForm } from './operator-form.ts'

/** Connects an account to a provider, and changes its connections. Credentials are sealed in the request that has them. */

/** Time that the calls to the provider may take beyond the request's own. */
const PROVIDER_CALLS_MS = 25_000

/** A field of a form of credentials; `credential`: its name in the credentials, where the form has another field of that name. */
type CredentialField = { name: string; credential?: string; isText?: true; isOptional?: true }

const CERTIFICATE_FIELDS: CredentialField[] = [
  { name: 'certificate', isText: true },
  { name: 'private_key', isText: true },
]

/** Fields of the credentials of each provider API, as its form has them; the first one is named by a refusal. */
export const CREDENTIAL_FIELDS: Record<ProviderApi, CredentialField[]> = {
  efi: [
    { name: 'client_id' },
    { name: 'client_secret' },
    { name: 'current_account', credential: 'account_number', isOptional: true },
    ...CERTIFICATE_FIELDS,
  ],
  sicoob: [
    { name: 'client_id' },
    { name: 'current_account', credential: 'account_number' },
    ...CERTIFICATE_FIELDS,
  ],
  inter: [
    { name: 'client_id' },
    { name: 'client_secret' },
    { name: 'current_account', credential: 'account_number' },
    ...CERTIFICATE_FIELDS,
  ],
  stark: [{ name: 'access_id' }, { name: 'private_key', isText: true }],
  woovi: [{ name: 'app_id' }, { name: 'webhook_public_key', isText: true }],
}

const connectFormSchema = z.object({
  account: uuidSchema,
  provider: z.enum(PROVIDER_NAMES),
  dialect: z.enum(PROVIDER_APIS),
  type: z.enum(['NOMINAL', 'POOL']),
  provider_account: z.string().trim().min(1).max(140),
  base_url: z.url({ protocol: /^https$/, message: 'must be an https URL' }).max(255),
  collection_key: z.string().trim().max(77).optional(),
  simulated: z.enum(['yes', 'no']),
  join: z.enum(['yes', 'no']).default('no'),
  replace_webhook: z.enum(['yes', 'no']).default('no'),
  account_number: z.string().trim().min(1).max(20).optional(),
  account_agency: z.string().trim().min(1).max(10).optional(),
  bank_name: z.string().trim().min(1).max(140).optional(),
  bank_ispb: z.string().transform(normalizeIspb).refine(isIspb, 'must be 8 characters').optional(),
  pool_role: z.string().trim().min(3).max(200).optional(),
  reason: reasonSchema,
  once: uuidSchema,
})
type ConnectFields = z.output<typeof connectFormSchema>
const VIRTUAL_ACCOUNT_FIELDS = ['account_number', 'account_agency', 'bank_name', 'bank_ispb'] as const

const statusFormSchema = z.object({
  ...connectionChangeFields,
  status: z.enum(CONNECTION_STATUSES),
  public: z.enum(['yes', 'no']),
})
const feesFormSchema = z.object({
  ...connectionChangeFields,
  charge: z.string().trim().max(40),
  transfer: z.string().trim().max(40),
  refund: z.string().trim().max(40),
})
const credentialsFormSchema = z.object({
  ...connectionChangeFields,
  replace_webhook: z.enum(['yes', 'no']).default('no'),
})

export function registerConnectionForms(router: DashboardRouter): void {
  const { dashboard } = router
  const renderConnection = createConnectionPage(dashboard)
  /** Renders the connection of the submitted form; the address of the form itself leads to the accounts. */
  const renderFormConnection = async (visit: PageContext<'operator'>) => {
    const uuid = readFormUuid(visit, 'uuid')
    return uuid === null ? redirect(ACCOUNTS_PATH) : renderConnection(visit, uuid)
  }
  router.get('operator', `${ACCOUNTS_PATH}/:uuid/connect`, visit =>
    renderConnectForm(visit, { accountUuid: visit.params.uuid, dialect: visit.query.dialect }),
  )

  registerOperatorForm(router, 'accounts/connect', {
    page: ACCOUNTS_PATH,
    schema: z.object({ account: uuidSchema, dialect: z.enum(PROVIDER_APIS) }),
    async render(visit) {
      const accountUuid = readFormUuid(visit, 'account')
      if (accountUuid === null) return redirect(ACCOUNTS_PATH)
      return renderConnectForm(visit, { accountUuid, dialect: visit.form.get('dialect') ?? undefined })
    },
    async act({ account: accountUuid, dialect }, visit) {
      const account = await requireMerchantAccount(visit.em, accountUuid)
      const errors: FieldErrors = {}
      const credentials = readCredentials(visit, dialect, errors)
      const openingCents = readAmountField(visit, 'opening_balance', errors)
      const maxTransferCents = readLimitField(visit, errors)
      const fields = parseFormFields(connectFormSchema, visit.form, {
        ...missingAccountFields(visit.form),
        ...errors,
      })
      const { once: uuid, reason } = fields
      const outcome = { path: `${CONNECTIONS_PATH}/${uuid}`, outcome: 'connected' }
      if ((await visit.em.fork().count(Connection, uuid)) > 0) return outcome
      const connection = { ...toConnectionOrder(fields, account), maxTransferCents, uuid, credentials }
      const onboarding = {
        connection,
        reason,
        poolRole: fields.pool_role,
        openingCents,
        actor: visit.actor,
        joins: fields.join === 'yes',
        replacesWebhook: fields.replace_webhook === 'yes',
      }
      await callProvider(dashboard, dialect, tools => onboardConnection(tools, onboarding))
      return outcome
    },
  })

  registerOperatorForm(router, 'accounts/connections/status', {
    page: ACCOUNTS_PATH,
    schema: statusFormSchema,
    render: renderFormConnection,
    async confirm({ uuid, reason, ...fields }, visit) {
      const { connection, facts } = await describeConnection(visit, uuid)
      const { t } = visit
      const isPublic = fields.public === 'yes'
      const describe = (status: string, isVisible: boolean) =>
        `${t(`connection.${status}`)}; ${t(isVisible ? 'connections.public' : 'connections.hidden')}`
      const isSame = connection.status === fields.status && connection.isPublic === isPublic
      if (isSame && visit.form.has('confirmed')) return null
      return {
        title: t('connections.statusAsk', { name: facts.name }),
        button: t('connections.change'),
        facts: [
          ...facts.list,
          { name: 'account.before', value: describe(connection.status, connection.isPublic) },
          { name: 'account.after', value: describe(fields.status, isPublic) },
          { name: 'field.reason', value: reason },
        ],
        means: t('connections.statusMeans'),
        isDangerous: fields.status !== 'ACTIVE',
        back: `${CONNECTIONS_PATH}/${uuid}`,
      }
    },
    async act({ uuid, reason, status, ...fields }, visit) {
      const isPublic = fields.public === 'yes'
      const connection = await requireConnection(visit.em, uuid)
      const act = { actor: visit.actor, reason, uuid }
      if (connection.status !== status)
        await changeConnection(visit.em, { ...act, change: () => ({ status }) })
      if (connection.isPublic !== isPublic)
        await changeConnection(visit.em, { ...act, change: () => ({ isPublic }) })
      return { path: `${CONNECTIONS_PATH}/${uuid}`, outcome: 'connection_changed' }
    },
  })

  registerOperatorForm(router, 'accounts/connections/fees', {
    page: ACCOUNTS_PATH,
    schema: feesFormSchema,
    render: renderFormConnection,
    async confirm({ uuid, reason, ...texts }, visit) {
      const fees = readFees(texts)
      const { connection, facts } = await describeConnection(visit, uuid)
      const { t, f } = visit
      const changed = listChangedFees(connection.fees, fees)
      if (changed.length === 0 && visit.form.has('confirmed')) return null
      const changes = (changed.length > 0 ? changed : FEE_LINES).map(line => ({
        name: `fee.${line}`,
        value: `${f.fee(connection.fees[line])} → ${f.fee(fees[line])}`,
      }))
      return {
        title: t('connections.feesAsk', { name: facts.name }),
        button: t('connections.changeFees'),
        facts: [...facts.list, ...changes, { name: 'field.reason', value: reason }],
        means: t('connections.feesMeans'),
        back: `${CONNECTIONS_PATH}/${uuid}`,
      }
    },
    async act({ uuid, reason, ...texts }, visit) {
      const fees = readFees(texts)
      const connection = await requireConnection(visit.em, uuid)
      if (listChangedFees(connection.fees, fees).length > 0)
        await changeConnection(visit.em, {
          actor: visit.actor,
          reason,
          uuid,
          change: () => ({ fees }),
        })
      return { path: `${CONNECTIONS_PATH}/${uuid}`, outcome: 'connection_changed' }
    },
  })

  registerConnectionLimitForm(router, renderFormConnection)

  registerOperatorForm(router, 'accounts/connections/credentials', {
    page: ACCOUNTS_PATH,
    schema: credentialsFormSchema,
    render: renderFormConnection,
    listFacts: visit => readCredentialsFacts(visit, readFormUuid(visit, 'uuid') ?? fail('not_found')),
    async act({ uuid: connectionUuid, reason, replace_webhook }, visit) {
      const { dialect } = await requireConnection(visit.em, connectionUuid)
      const errors: FieldErrors = {}
      const credentials = readCredentials(visit, dialect, errors)
      if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
      const replacesWebhook = replace_webhook === 'yes'
      const order = { connectionUuid, credentials, actor: visit.actor, reason, replacesWebhook }
      const { isProved } = await callProvider(dashboard, dialect, tools => renewCredentials(tools, order))
      const outcome = isProved ? 'credentials_replaced' : 'credentials_unproved'
      return { path: `${CONNECTIONS_PATH}/${connectionUuid}`, outcome }
    },
  })

  // After the addresses of the forms: `status` is no identifier.
  router.get('operator', `${CONNECTIONS_PATH}/:uuid`, visit => renderConnection(visit, visit.params.uuid))
}

type ProviderTools = Parameters<typeof onboardConnection>[0]

/**
 * Runs calls to a provider within a longer deadline; names the field of a refusal. The rows are committed whatever time is left,
 * because the provider may have registered what they say.
 */
async function callProvider<T>(
  { orm, providers, sealer, config }: DashboardContext,
  dialect: ProviderApi,
  work: (tools: ProviderTools) => Promise<T>,
): Promise<T> {
  if (!providers) return fail('unavailable')
  getRequestDeadline().extendBy(PROVIDER_CALLS_MS)
  try {
    return await work({ em: orm.em.fork(), sealer, site: { providers, publicUrl: config.publicUrl } })
  } catch (error) {
    const credentialsField = CREDENTIAL_FIELDS[dialect][0]!.name
    if (error instanceof CredentialsRefused)
      return failField(credentialsField, {
        text: 'was not stored: {reason}',
        gaps: { reason: error.message },
      })
    if (!(error instanceof OnboardingRefused)) throw error
    const { field, text, gaps } = error
    return failField(field === 'credentials' ? credentialsField : field, { text, gaps })
  }
}

/** Reads the credentials of the form; what is wrong with them is added to `errors`, by field. */
function readCredentials({ form }: PageContext, dialect: ProviderApi, errors: FieldErrors): unknown {
  const fields = CREDENTIAL_FIELDS[dialect].map(field => ({
    ...field,
    credential: field.credential ?? field.name,
  }))
  const values = Object.fromEntries(
    fields
      .map(field => ({ ...field, value: form.get(field.name)?.replaceAll('\r\n', '\n').trim() ?? '' }))
      .filter(({ isOptional, value }) => !isOptional || value !== '')
      .map(({ credential, value }) => [credential, value]),
  )
  const schema = CREDENTIALS_SCHEMAS[dialect]
  // The last part of the URL of notifications, which no operator needs to know.
  const hasSecret = 'notification_secret' in schema.shape
  const generated = hasSecret ? { notification_secret: randomBytes(24).toString('base64url') } : {}
  const result = validateFormFields<z.ZodType>(schema, { ...values, ...generated })
  if (result.kind === 'valid') return result.value
  for (const [path, messages] of Object.entries(result.errors)) {
    const { name } = fields.find(({ credential }) => credential === path) ?? fields[0]!
    errors[name] = messages
  }
  return null
}

/** Reads who replaced the credentials of a connection last, which a form of new ones depends on. */
async function readCredentialsFacts(
  visit: PageContext<'operator'>,
  connectionUuid: string,
): Promise<ShownFact[]> {
  const [latest] = await visit.em.fork().find(
    OperatorAction,
    {
      subject: `connection/${connectionUuid}`,
      action: { $in: ['connection_credentials', 'connection_credentials_withdraw'] },
    },
    { orderBy: { at: 'desc' }, limit: 1 },
  )
  const value = latest ? `${latest.actor}, ${visit.f.plainTime(latest.at)}` : '–'
  return [{ name: 'connections.lastReplaced', value }]
}

/** A connection in the account's own name shows the account that it has at the provider. */
function missingAccountFields(form: URLSearchParams): FieldErrors {
  if (form.get('type') !== 'NOMINAL') return {}
  const missing = VIRTUAL_ACCOUNT_FIELDS.filter(name => !form.get(name)?.trim())
  return Object.fromEntries(missing.map(name => [name, ['is required']]))
}

function toConnectionOrder(fields: ConnectFields, { uuid, name, document }: Account) {
  const { provider, dialect, type, account_number, account_agency, bank_name, bank_ispb } = fields
  return {
    accountUuid: uuid,
    provider,
    dialect,
    type,
    providerAccount: fields.provider_account,
    baseUrl: fields.base_url,
    isSimulated: fields.simulated === 'yes',
    collectionKey: fields.collection_key ?? null,
    ...(type === 'NOMINAL' && {
      virtualAccount: {
        name,
        document,
        account_number: account_number!,
        account_agency: account_agency!,
        bank: { code: '', name: bank_name!, ispb: bank_ispb! },
        account_type: 'PAYMENT' as const,
      },
    }),
  }
}

type FeeLine = (typeof FEE_LINES)[number]

function listChangedFees(before: Record<FeeLine, Fee>, after: Record<FeeLine, Fee>): FeeLine[] {
  return FEE_LINES.filter(line => formatFee(before[line]) !== formatFee(after[line]))
}

function readFees(texts: Record<FeeLine, string>) {
  const errors: FieldErrors = {}
  const read = (line: FeeLine) => {
    const fee = feeFromText(texts[line].replaceAll(',', '.').replaceAll(/R\$|\s/g, ''))
    if (!fee) errors[line] = ['must be a fee, as in 0.10, 0.99% or 0.10+0.99%']
    return fee ?? { fixedCents: 0, hundredthsOfPercent: 0 }
  }
  const fees = { charge: read('charge'), transfer: read('transfer'), refund: read('refund') }
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  return fees
}

async function renderConnectForm(
  { em }: PageContext<'operator'>,
  target: { accountUuid: string; dialect: string | undefined },
) {
  const { uuid, name } = await requireMerchantAccount(em, target.accountUuid)
  const dialect = PROVIDER_APIS.find(one => one === target.dialect) ?? null
  const model = {
    account: { uuid, name },
    dialect,
    dialects: PROVIDER_APIS,
    providers: PROVIDER_NAMES,
    credentialFields: dialect ? CREDENTIAL_FIELDS[dialect] : [],
    permissions: dialect ? REQUIRED_PERMISSIONS[dialect] : [],
  }
  return createPage('operator/connect', model, `${ACCOUNTS_PATH}/${uuid}/connect`)
}

function createConnectionPage({ sealer }: DashboardContext) {
  return async (visit: PageContext<'operator'>, uuid: string) => {
    const { em } = visit
    const connection =
      (await em.fork().findOne(Connection, uuid, { populate: ['sealedReplacedUrl'] })) ?? fail('not_found')
    const account = await requireMerchantAccount(em, connection.accountUuid)
    const { providerAccountUuid, sealedReplacedUrl } = connection
    const holder = await em.fork().findOneOrFail(ProviderAccount, providerAccountUuid)
    const { provider, dialect, type, status, isPublic, isSimulated, baseUrl, collectionKey } = connection
    const model = {
      account: { uuid: account.uuid, name: account.name },
      connection: {
        uuid,
        provider,
        dialect,
        type,
        status,
        isPublic,
        isSimulated,
        baseUrl,
        collectionKey,
        holder: holder.name,
        createdAt: connection.createdAt,
        holders: await listProviderAccountHolders(em.fork(), providerAccountUuid),
        replacedUrl: sealedReplacedUrl ? String(sealer.open(sealedReplacedUrl)) : null,
        fees: connection.fees,
        maxTransferCents: connection.maxTransferCents ?? null,
      },
      statuses: CONNECTION_STATUSES.filter(one => one !== 'UNDEFINED'),
      credentialFields: CREDENTIAL_FIELDS[dialect],
      capabilities: listCapabilityFacts(visit, dialect),
      credentialsVersion: encodeFacts(visit.language, await readCredentialsFacts(visit, uuid)),
      feeLines: FEE_LINES,
    }
    return createPage('operator/connection', model, `${CONNECTIONS_PATH}/${uuid}`)
  }
}
