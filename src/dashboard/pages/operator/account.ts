import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type AccountChange, changeAccount, openAccount } from '../../../admin/accounts.ts'
import { INVITATION_PATH, inviteByOperator } from '../../../admin/invitations.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Account } from '../../../db/entities/account.ts'
import { Connection } from '../../../db/entities/connection.ts'
import { User } from '../../../db/entities/user.ts'
import { isDocument, normalizeDocument } from '../../../domain/pix/document.ts'
import { ACCOUNT_TIME_ZONES } from '../../../domain/shared/time-zone.ts'
import { WRONG_PAYER_POLICIES } from '../../../domain/unmatched/deposit-return.ts'
import { fail, failField } from '../../../http/api-error.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { emailSchema, parseFormFields, reasonSchema } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { timeZoneField } from '../settings.ts'
import { listActsOnSubject } from './lists.ts'
import { ACCOUNTS_PATH, type OperatorVisit, registerOperatorForm } from './operator-form.ts'

/** The page of an account for operators: create it, its policies, its first owner, and whether it is blocked. */

const createFormSchema = z.object({
  name: z.string().trim().min(1).max(140),
  document: z.string().trim().max(20),
  reason: reasonSchema,
  once: uuidSchema,
})
const statusFormSchema = z.object({
  uuid: uuidSchema,
  status: z.enum(['ACTIVE', 'BLOCKED']),
  reason: reasonSchema,
})
const policyFormSchema = z.object({
  uuid: uuidSchema,
  unmatched: z.enum(['refund', 'keep']),
  wrong_payer: z.enum(WRONG_PAYER_POLICIES),
  disputed_splits: z.enum(['share', 'owner']),
  unique_external_ref: z.enum(['yes', 'no']),
  reason: reasonSchema,
})

const ownerFormSchema = z.object({
  uuid: uuidSchema,
  email: emailSchema,
  reason: reasonSchema,
  once: uuidSchema.optional(),
})

const timeZoneFormSchema = z.object({ uuid: uuidSchema, time_zone: timeZoneField, reason: reasonSchema })

export function registerAccountForms(router: DashboardRouter): void {
  router.get('operator', `${ACCOUNTS_PATH}/new`, renderAccountForm)
  const page = ACCOUNTS_PATH

  registerOperatorForm(router, 'accounts/new', {
    page: `${ACCOUNTS_PATH}/new`,
    schema: createFormSchema,
    render: renderAccountForm,
    async act({ name, reason, once: uuid, ...fields }, { em, actor }) {
      const document = normalizeDocument(fields.document.replaceAll(/[\s./-]/g, ''))
      if (!isDocument(document))
        failField('document', 'must be a valid CPF (11 digits) or CNPJ (14 characters)')
      const outcome = { path: `${ACCOUNTS_PATH}/${uuid}`, outcome: 'account_created' }
      if ((await em.fork().count(Account, uuid)) > 0) return outcome
      await openAccount(em, { actor, reason, holder: { uuid, name, document } })
      return outcome
    },
  })

  registerOperatorForm(router, 'accounts/status', {
    page,
    schema: statusFormSchema,
    render: renderFormAccount,
    async confirm({ uuid, status, reason }, visit) {
      const account = await requireMerchantAccount(visit.em, uuid)
      if (account.status === status && visit.form.has('confirmed')) return null
      const { t } = visit
      const gaps = { name: account.name }
      const isBlock = status === 'BLOCKED'
      if (account.status === status)
        return fail('act_stale', { currentStateText: t(`accountStatus.${account.status}`) })
      return {
        title: t(isBlock ? 'account.blockAsk' : 'account.unblockAsk', gaps),
        button: t(isBlock ? 'account.blockNow' : 'account.unblockNow', gaps),
        facts: [...describeAccount(visit, account), { name: 'field.reason', value: reason }],
        means: t(isBlock ? 'account.blockMeans' : 'account.unblockMeans'),
        isDangerous: isBlock,
        back: `${ACCOUNTS_PATH}/${uuid}`,
      }
    },
    act: ({ uuid, status, reason }, visit) => carryOut(visit, { uuid, change: { status }, reason }),
  })

  registerOperatorForm(router, 'accounts/policy', {
    page,
    schema: policyFormSchema,
    render: renderFormAccount,
    async confirm({ uuid, reason, ...fields }, visit): Promise<Confirmation | null> {
      const account = await requireMerchantAccount(visit.em, uuid)
      const { t } = visit
      const after = toPolicy(fields)
      const isSame =
        after.unmatchedPolicy === account.unmatchedPolicy &&
        after.wrongPayerPolicy === account.wrongPayerPolicy &&
        after.disputedSplitPolicy === account.disputedSplitPolicy &&
        after.uniqueExternalRef === account.uniqueExternalRef
      if (isSame && visit.form.has('confirmed')) return null
      return {
        title: t('account.policyAsk', { name: account.name }),
        button: t('account.policyNow'),
        facts: [
          ...describeAccount(visit, account),
          { name: 'account.before', value: describePolicy(visit, account) },
          { name: 'account.after', value: describePolicy(visit, after) },
          { name: 'field.reason', value: reason },
        ],
        means: t('account.policyMeans'),
        back: `${ACCOUNTS_PATH}/${uuid}`,
      }
    },
    act: ({ uuid, reason, ...fields }, visit) => carryOut(visit, { uuid, change: toPolicy(fields), reason }),
  })

  registerOperatorForm(router, 'accounts/time-zone', {
    page,
    schema: timeZoneFormSchema,
    render: renderFormAccount,
    act: ({ uuid, time_zone: timeZone, reason }, visit) =>
      carryOut(visit, { uuid, change: { timeZone }, reason }),
  })

  // The first owner has no other owner to invite them. The owner sets the password, which no operator knows.
  router.post('operator', `${ACCOUNTS_PATH}/users`, {
    async handle({ em, form, session: { user } }) {
      const {
        uuid: accountUuid,
        once: uuid = randomUUID(),
        ...fields
      } = parseFormFields(ownerFormSchema, form)
      const { name } = await requireMerchantAccount(em, accountUuid)
      const order = { uuid, accountUuid, role: 'owner' as const, invitedBy: user.uuid, actor: user.email }
      const result = await inviteByOperator(em, { ...fields, ...order })
      switch (result.kind) {
        case 'created': {
          const url = `${router.dashboard.config.publicUrl}${INVITATION_PATH}/${result.token}`
          const model = { account: { uuid: accountUuid, name }, email: fields.email, url }
          return createPage('operator/owner-invited', model, `${ACCOUNTS_PATH}/${accountUuid}`, {})
        }
        case 'repeated':
          return redirect(`${ACCOUNTS_PATH}/${accountUuid}`, 'invitation_there')
        case 'user_exists':
          return failField('email', 'is already the e-mail of a user')
        case 'too_many':
          return fail('user_limit')
      }
    },
    renderForm: renderFormAccount,
  })

  // After the addresses of the forms: `new` is no identifier.
  router.get('operator', `${ACCOUNTS_PATH}/:uuid`, visit => renderAccount(visit, visit.params.uuid))
}

type AccountOrder = { uuid: string; change: AccountChange; reason: string }

/** Changes an account and records it; a form that was sent twice finds the change made and records nothing. */
async function carryOut({ em, actor }: OperatorVisit, { uuid, change, reason }: AccountOrder) {
  const account = await requireMerchantAccount(em, uuid)
  const isMade = Object.entries(change).every(([name, value]) => account[name as keyof Account] === value)
  if (!isMade) await changeAccount(em, { actor, reason, uuid, change })
  return { path: `${ACCOUNTS_PATH}/${uuid}`, outcome: 'account_changed' }
}

function toPolicy(fields: Omit<z.output<typeof policyFormSchema>, 'uuid' | 'reason'>) {
  return {
    unmatchedPolicy: fields.unmatched,
    wrongPayerPolicy: fields.wrong_payer,
    disputedSplitPolicy: fields.disputed_splits,
    uniqueExternalRef: fields.unique_external_ref === 'yes',
  }
}

type Policy = Pick<
  Account,
  'unmatchedPolicy' | 'wrongPayerPolicy' | 'disputedSplitPolicy' | 'uniqueExternalRef'
>

function describePolicy(
  visit: OperatorVisit,
  { unmatchedPolicy, wrongPayerPolicy, disputedSplitPolicy, uniqueExternalRef }: Policy,
): string {
  const { t } = visit
  return [
    t(`unmatchedPolicy.${unmatchedPolicy}`),
    t(`wrongPayerPolicy.${wrongPayerPolicy}`),
    t(`disputedSplitPolicy.${disputedSplitPolicy}`),
    t(`uniqueRef.${uniqueExternalRef ? 'yes' : 'no'}`),
  ].join('; ')
}

function describeAccount(visit: OperatorVisit, { name, document, status }: Account) {
  const { t, f } = visit
  return [
    { name: 'field.account', value: name },
    { name: 'field.document', value: f.document(document) },
    { name: 'field.status', value: t(`accountStatus.${status}`) },
  ]
}

/** Finds a merchant's account; 404 for another uuid, and for the service's own account. */
export async function requireMerchantAccount(em: EntityManager, uuid: string): Promise<Account> {
  return (await em.fork().findOne(Account, { uuid, isService: false })) ?? fail('not_found')
}

async function renderAccountForm() {
  return createPage('operator/account-form', {}, `${ACCOUNTS_PATH}/new`, {})
}

/** Renders the account of the submitted form; the address of the form itself leads to the accounts. */
async function renderFormAccount(visit: PageContext<'operator'>) {
  const uuid = readFormUuid(visit, 'uuid')
  return uuid === null ? redirect(ACCOUNTS_PATH) : renderAccount(visit, uuid)
}

/** Reads which object a submitted form is about, or fails with 404; null where no form was submitted. */
export function readFormUuid({ form }: Pick<PageContext, 'form'>, name: string): string | null {
  if (form.size === 0) return null
  return uuidSchema.safeParse(form.get(name)).data ?? fail('not_found')
}

async function renderAccount({ em }: PageContext<'operator'>, uuid: string) {
  const account = await requireMerchantAccount(em, uuid)
  const [connections, users, actions] = await Promise.all([
    em.fork().find(Connection, { accountUuid: uuid }, { orderBy: { createdAt: 'asc' } }),
    em.fork().find(User, { accountUuid: uuid }, { orderBy: { email: 'asc' } }),
    listActsOnSubject(em, `account/${uuid}`),
  ])
  const model = {
    account: {
      uuid,
      name: account.name,
      document: account.document,
      status: account.status,
      unmatched: account.unmatchedPolicy,
      wrongPayer: account.wrongPayerPolicy,
      isUniqueRef: account.uniqueExternalRef,
      disputedSplits: account.disputedSplitPolicy,
      timeZone: account.timeZone,
      createdAt: account.createdAt,
    },
    zones: ACCOUNT_TIME_ZONES,
    connections: connections.map(one => ({
      uuid: one.uuid,
      provider: one.provider,
      type: one.type,
      status: one.status,
      isPublic: one.isPublic,
      isSimulated: one.isSimulated,
      fees: one.fees,
    })),
    users: users.map(({ email, role, disabledAt }) => ({ email, role, isDisabled: disabledAt != null })),
    actions,
  }
  return createPage('operator/account', model, `${ACCOUNTS_PATH}/${uuid}`)
}
