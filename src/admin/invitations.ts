import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { runInTransaction } from '../db/client/transaction.ts'
import { Account } from '../db/entities/account.ts'
import { User } from '../db/entities/user.ts'
import { UserInvitation } from '../db/entities/user-invitation.ts'
import { lockAccount } from '../db/locks.ts'
import { countAccountMembers, MAX_ACCOUNT_MEMBERS } from '../db/repositories/account-users.ts'
import { type ActionAuthor, runAuditedAction, toActionAuthor } from '../db/repositories/audited-actions.ts'
import type { AccountRole } from '../domain/users/roles.ts'
import { hashPassword } from '../security/passwords.ts'
import { sha256 } from '../security/sealing.ts'
import { generateLinkToken, isLinkToken } from '../security/tokens.ts'
import { lockAccountOfOwner, type UserAuthor } from './account-users.ts'

/** Invitations to an account: an owner or an operator sends a link, and who opens it sets name and password. */

/** Path of the page of an invitation, before its token. */
export const INVITATION_PATH = '/dashboard/invitation'

const INVITATION_DAYS = 7

type InvitationOrder = {
  /** Where the request may be repeated: the second one creates nothing. */
  uuid: string
  accountUuid: string
  email: string
  role: AccountRole
  author: UserAuthor
}

export type InvitationResult =
  | { kind: 'created'; token: string }
  /** The request was repeated: its link was shown, and is not stored. */
  | { kind: 'repeated' }
  /** The e-mail is of a user, of this account or of another. */
  | { kind: 'user_exists' }
  | { kind: 'too_many' }
  | { kind: 'not_owner' }

/** Creates an invitation by an owner. */
export function createInvitation(
  em: EntityManager,
  { author, ...order }: InvitationOrder,
): Promise<InvitationResult> {
  return runAuditedAction<InvitationResult>(em, {
    by: toActionAuthor(author),
    action: 'invite_user',
    subject: `invitation/${order.uuid}`,
    hasChanged: ({ kind }) => kind === 'created',
    async work(tx) {
      if (!(await lockAccountOfOwner(tx, order.accountUuid, author))) return { kind: 'not_owner' }
      return insertInvitation(tx, { ...order, invitedBy: author.uuid })
    },
  })
}

type NewInvitation = Omit<InvitationOrder, 'author'> & {
  /** User of the operator in the dashboard; null on the command line. */
  invitedBy: string | null
}

/** Creates an invitation by an operator: no operator ever knows the password of an account's user. */
export function inviteByOperator(
  em: EntityManager,
  { actor, reason, ...order }: NewInvitation & ActionAuthor,
): Promise<Exclude<InvitationResult, { kind: 'not_owner' }>> {
  return runAuditedAction(em, {
    by: { actor, reason },
    action: 'invite_user',
    subject: `invitation/${order.uuid}`,
    hasChanged: ({ kind }) => kind === 'created',
    async work(tx) {
      await lockAccount(tx, order.accountUuid)
      return insertInvitation(tx, order)
    },
  })
}

/**
 * Inserts an invitation, and revokes an earlier one to the same e-mail. Returns its token, which is not stored. The caller's
 * transaction holds the lock of the account.
 */
async function insertInvitation(
  tx: EntityManager,
  { uuid, accountUuid, role, invitedBy, ...order }: NewInvitation,
): Promise<Exclude<InvitationResult, { kind: 'not_owner' }>> {
  const email = order.email.trim().toLowerCase()
  if ((await tx.count(UserInvitation, { uuid })) > 0) return { kind: 'repeated' }
  if ((await tx.count(User, { email, removedAt: null })) > 0) return { kind: 'user_exists' }
  await revokeOpenInvitations(tx, { accountUuid, email })
  if ((await countAccountMembers(tx, accountUuid)) >= MAX_ACCOUNT_MEMBERS) return { kind: 'too_many' }
  const token = generateLinkToken()
  const createdAt = new Date()
  const expiresAt = new Date(createdAt.getTime() + INVITATION_DAYS * 86_400_000)
  const invitation = { uuid, accountUuid, email, role, tokenHash: sha256(token), createdAt, expiresAt }
  await tx.insert(UserInvitation, { ...invitation, inviter: invitedBy })
  return { kind: 'created', token }
}

/** Revokes an open invitation of an account; `closed` where it is not open any more, null where there is none. */
export function revokeInvitation(
  em: EntityManager,
  { uuid, accountUuid, author }: { uuid: string; accountUuid: string; author: UserAuthor },
): Promise<'revoked' | 'closed' | null> {
  return runAuditedAction(em, {
    by: toActionAuthor(author),
    action: 'revoke_invitation',
    subject: `invitation/${uuid}`,
    hasChanged: outcome => outcome === 'revoked',
    async work(tx) {
      if ((await tx.count(UserInvitation, { uuid, accountUuid })) === 0) return null
      return (await revokeOpenInvitations(tx, { uuid, accountUuid })) > 0 ? 'revoked' : 'closed'
    },
  })
}

function revokeOpenInvitations(
  tx: EntityManager,
  which: { accountUuid: string } & ({ uuid: string } | { email: string }),
): Promise<number> {
  return tx.nativeUpdate(
    UserInvitation,
    { ...which, acceptedAt: null, revokedAt: null },
    { revokedAt: new Date() },
  )
}

export type InvitationVisit =
  | { kind: 'open'; uuid: string; email: string; role: AccountRole; accountName: string }
  | { kind: 'accepted' | 'revoked' | 'expired' }

/** Finds what the visitor of a link sees; null where the token is of no invitation. */
export async function visitInvitation(em: EntityManager, token: string): Promise<InvitationVisit | null> {
  if (!isLinkToken(token)) return null
  const invitation = await em.findOne(UserInvitation, { tokenHash: sha256(token) })
  if (!invitation) return null
  if (invitation.acceptedAt) return { kind: 'accepted' }
  if (invitation.revokedAt) return { kind: 'revoked' }
  if (invitation.expiresAt <= new Date()) return { kind: 'expired' }
  const account = await em.findOneOrFail(Account, invitation.accountUuid)
  if (account.status !== 'ACTIVE') return { kind: 'revoked' }
  const { uuid, email, role } = invitation
  return { kind: 'open', uuid, email, role, accountName: account.name }
}

export type AcceptedInvitation =
  | { kind: 'accepted'; user: Pick<User, 'uuid' | 'email' | 'passwordHash'> }
  /** It was accepted, was revoked or expired in the meantime. */
  | { kind: 'closed' }
  | { kind: 'user_exists' }

/** Creates the user of an invitation. Of concurrent requests one creates it. */
export async function acceptInvitation(
  em: EntityManager,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<AcceptedInvitation> {
  const visit = await visitInvitation(em.fork(), token)
  if (visit?.kind !== 'open') return { kind: 'closed' }
  const passwordHash = await hashPassword(password)
  return runInTransaction(em, async (tx): Promise<AcceptedInvitation> => {
    const invitation = await tx.findOneOrFail(UserInvitation, visit.uuid)
    await lockAccount(tx, invitation.accountUuid)
    await tx.refresh(invitation)
    const { uuid, accountUuid, email, role, acceptedAt, revokedAt, expiresAt } = invitation
    if (acceptedAt || revokedAt || expiresAt <= new Date()) return { kind: 'closed' }
    const userUuid = randomUUID()
    const author = { uuid: userUuid, email, accountUuid }
    if ((await tx.count(User, { email, removedAt: null })) > 0) return { kind: 'user_exists' }
    return runAuditedAction<AcceptedInvitation>(tx, {
      by: toActionAuthor(author),
      action: 'accept_invitation',
      subject: `user/${userUuid}`,
      async work() {
        await tx.insert(User, { ...author, name, passwordHash, role, createdAt: new Date() })
        await tx.nativeUpdate(UserInvitation, { uuid }, { acceptedAt: new Date(), userUuid })
        return { kind: 'accepted', user: { uuid: userUuid, email, passwordHash } }
      },
    })
  })
}
