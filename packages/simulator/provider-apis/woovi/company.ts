import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount, SimulatedAccounts } from '../../accounts.ts'

/** Lists the accounts of an account's company, the default one first; an account without a company is alone. */
export function listCompanyAccounts(
  accounts: SimulatedAccounts,
  account: SimulatedAccount,
): SimulatedAccount[] {
  const { company } = readAccountOptions(account)
  if (company === undefined) return [account]
  return accounts
    .listByProvider(account.provider)
    .filter(one => one.dialect === 'woovi' && readAccountOptions(one).company === company)
}
