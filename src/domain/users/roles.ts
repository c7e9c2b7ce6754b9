/** Roles of an account's users, and what each permits. The dashboard checks them; an API token has no role. */

export const ACCOUNT_ROLES = ['owner', 'finance', 'developer', 'viewer'] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

/** Role of a dashboard user: one in an account, or `operator` for a user of the whole service. */
export type UserRole = AccountRole | 'operator'

const MONEY_PERMISSIONS = [
  /** Creates and cancels charges, and payment links. */
  'charges.write',
  'transfers.write',
  'refunds.write',
  'disputes.write',
  /** Registers and deletes PIX keys. */
  'keys.write',
  /** Sets the order of the providers that move money. */
  'providers.write',
] as const

/** What a page or a form of an account needs: `<noun>.read` shows it, `<noun>.write` changes it. */
export const ACCOUNT_PERMISSIONS = [
  /** Charges, transfers, refunds, disputes, unmatched payments, PIX keys, statement, providers, search. */
  'money.read',
  ...MONEY_PERMISSIONS,
  /** API tokens and the log of their requests. */
  'tokens.read',
  'tokens.write',
  'webhooks.read',
  'webhooks.write',
  'events.read',
  /** Users, roles and invitations. */
  'users.write',
  /** Settings of the account, such as its time zone. */
  'account.write',
] as const
export type AccountPermission = (typeof ACCOUNT_PERMISSIONS)[number]

const INTEGRATION_READS = ['tokens.read', 'webhooks.read', 'events.read'] as const

const PERMISSIONS_BY_ROLE: Record<AccountRole, readonly AccountPermission[]> = {
  owner: ACCOUNT_PERMISSIONS,
  finance: ['money.read', ...MONEY_PERMISSIONS],
  developer: ['money.read', ...INTEGRATION_READS, 'tokens.write', 'webhooks.write'],
  viewer: ['money.read', ...INTEGRATION_READS],
}

export function roleHasPermission(role: AccountRole, permission: AccountPermission): boolean {
  return PERMISSIONS_BY_ROLE[role].includes(permission)
}

/** Lists the roles that have a permission, in the order of `ACCOUNT_ROLES`. */
export function listRolesWithPermission(permission: AccountPermission): AccountRole[] {
  return ACCOUNT_ROLES.filter(role => roleHasPermission(role, permission))
}
