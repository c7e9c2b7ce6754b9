import { z } from 'zod'
import { openAccountPages } from '../../../admin/accounts.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { runInTransaction } from '../../../db/client/transaction.ts'
import { findAccounts, findByIdentifier, readAccountNames } from '../../../db/repositories/account-search.ts'
import { setOpenedAccount } from '../../../db/repositories/dashboard-sessions.ts'
import { fail } from '../../../http/api-error.ts'
import { cleanSearchText, parseFormFields, reasonSchema } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { findForOperator, PAGES_OF_NOUNS } from '../search.ts'
import { ACCOUNTS_PATH } from './operator-form.ts'

/** Longest search text: that of a PIX code. */
const MAX_SEARCH_LENGTH = 512

/** Pages of a merchant to which an account may be opened. */
const PAGE_OF = {
  account: () => '/dashboard',
  charge: (uuid: string) => `${PAGES_OF_NOUNS.charge}/${uuid}`,
  transfer: (uuid: string) => `${PAGES_OF_NOUNS.transfer}/${uuid}`,
  recurrence: (uuid: string) => `${PAGES_OF_NOUNS.recurrence}/${uuid}`,
  dispute: (uuid: string) => `${PAGES_OF_NOUNS.dispute}/${uuid}`,
  unmatched: (uuid: string) => `${PAGES_OF_NOUNS.unmatched}/${uuid}`,
  webhook: (uuid: string) => `/dashboard/webhooks/${uuid}`,
}

const openFormSchema = z.object({
  account: uuidSchema,
  noun: z
    .enum(['account', 'charge', 'transfer', 'recurrence', 'dispute', 'unmatched', 'webhook'])
    .default('account'),
  uuid: uuidSchema.optional(),
  reason: reasonSchema,
})

/**
 * Registers the operators' search over all accounts, and the opening of one: its merchant's pages can then be read in
 * this session, and its forms not sent. Each opening needs a reason and is recorded.
 */
export function registerAccountPages({ get, post }: DashboardRouter): void {
  get('operator', ACCOUNTS_PATH, showAccounts)

  post('operator', `${ACCOUNTS_PATH}/open`, {
    async handle({ em, form, session: { sessionHash, user } }) {
      const { account: accountUuid, noun, uuid, reason } = parseFormFields(openFormSchema, form)
      const act = { actor: user.email, reason, sessionHash, accountUuid }
      if (!(await openAccountPages(em.fork(), act))) fail('not_found')
      return redirect(PAGE_OF[noun](uuid ?? accountUuid))
    },
    renderForm: showAccounts,
  })

  post('operator', `${ACCOUNTS_PATH}/close`, {
    async handle({ em, session: { sessionHash } }) {
      await runInTransaction(em, tx => setOpenedAccount(tx, { sessionHash, accountUuid: null }))
      return redirect(ACCOUNTS_PATH)
    },
    renderForm: showAccounts,
  })
}

async function showAccounts(visit: PageContext<'operator'>) {
  const { em, query, form } = visit
  const text = cleanSearchText(query.q ?? form.get('q') ?? '', MAX_SEARCH_LENGTH)
  const [operations, identified, accounts] = await Promise.all([
    findForOperator(visit),
    text === '' ? [] : findByIdentifier(em.fork(), text),
    findAccounts(em.fork(), text),
  ])
  const names = await readAccountNames(em.fork(), [...new Set(operations.map(one => one.accountUuid))])
  const found = operations.map(one => ({
    ...one,
    account_uuid: one.accountUuid,
    account_name: names.get(one.accountUuid) ?? '',
  }))
  const foundUuids = new Set(operations.map(({ uuid }) => uuid))
  const rows = [...found, ...identified.filter(({ uuid }) => !foundUuids.has(uuid))]
  return createPage('operator/accounts', { text, rows, accounts }, ACCOUNTS_PATH)
}
