import type { AccountRole } from '../../domain/users/roles.ts'
import type { EntityManager } from '../client/orm.ts'
import { User } from '../entities/user.ts'
import { UserInvitation } from '../entities/user-invitation.ts'

/** Reads of the users of an account, for their page in the dashboard. */

export type AccountMember = {
  uuid: string
  email: string
  name: string | null
  role: AccountRole
  createdAt: Date
  lastSignInAt: Date | null
  disabledAt: Date | null
  hasTotp: boolean
}

/** Lists the users of an account that are not removed, or the one with a uuid; owners first. */
export function listAccountMembers(
  em: EntityManager,
  { accountUuid, uuid }: { accountUuid: string; uuid?: string },
): Promise<AccountMember[]> {
  return em.execute<AccountMember[]>(
    `select u.uuid, u.email, u.name, u.role, u.created_at as "createdAt", u.last_sign_in_at as "lastSignInAt",
       u.disabled_at as "disabledAt", t.uuid is not null as "hasTotp"
     from app_user u left join user_totp t on t.user_uuid = u.uuid
     where u.account_uuid = ? and u.removed_at is null and (u.uuid = ? or ?::uuid is null)
     order by u.role <> 'owner', u.email limit ${MAX_ACCOUNT_MEMBERS}`,
    [accountUuid, uuid ?? null, uuid ?? null],
  )
}

export type OpenInvitation = {
  uuid: string
  email: string
  role: AccountRole
  /** Empty: an operator on the command line. */
  inviter: string
  createdAt: Date
  expiresAt: Date
  isExpired: boolean
}

/** Lists the invitations of an account that were neither accepted nor revoked, the latest first. */
export async function listOpenInvitations(em: EntityManager, accountUuid: string): Promise<OpenInvitation[]> {
  const invitations = await em.find(
    UserInvitation,
    { accountUuid, acceptedAt: null, revokedAt: null },
    {
      populate: ['inviter'],
      orderBy: { createdAt: 'desc' },
      limit: MAX_ACCOUNT_MEMBERS,
      disableIdentityMap: true,
    },
  )
  return invitations.map(({ uuid, email, role, inviter, createdAt, expiresAt }) => ({
    uuid,
    email,
    role,
    inviter: inviter?.email ?? '',
    createdAt,
    expiresAt,
    isExpired: expiresAt <= new Date(),
  }))
}

/** Most users and open invitations of an account together. */
export const MAX_ACCOUNT_MEMBERS = 100

/** Counts the users and the open invitations of an account. */
export async function countAccountMembers(em: EntityManager, accountUuid: string): Promise<number> {
  const open = { acceptedAt: null, revokedAt: null, expiresAt: { $gt: new Date() } }
  const userCount = await em.count(User, { accountUuid, removedAt: null })
  return userCount + (await em.count(UserInvitation, { accountUuid, ...open }))
}

export type UserHistoryEntry = {
  at: Date
  /** E-mail of a user of the account; null for operators of the service. */
  actor: string | null
  action: string
  /** E-mail of the user or the invitation that the action was about. */
  email: string | null
}

/** Lists what was done to the users of an account and by them, or to one of them, the latest first. */
export function listUserHistory(
  em: EntityManager,
  { accountUuid, uuid }: { accountUuid: string; uuid?: string },
): Promise<UserHistoryEntry[]> {
  return em.execute<UserHistoryEntry[]>(
    `with named as (
       select 'user/' || uuid as subject, email from app_user where account_uuid = ? and (uuid = ? or ?::uuid is null)
       union all
       select 'invitation/' || uuid, email from user_invitation
       where account_uuid = ? and (user_uuid = ? or ?::uuid is null)
     )
     select a.at, case when a.account_uuid is not null then a.actor end as actor, a.action, named.email
     from operator_action a join named on named.subject = a.subject
     order by a.at desc, a.uuid desc limit 100`,
    [accountUuid, uuid ?? null, uuid ?? null, accountUuid, uuid ?? null, uuid ?? null],
  )
}
