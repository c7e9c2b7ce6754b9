import { randomBytes } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import {
  type DashboardSession,
  findValidSession,
  insertSession,
} from '../../db/repositories/dashboard-sessions.ts'
import { sha256 } from '../../security/sealing.ts'

/** Creates a session and returns the secret for the cookie; only its hash is stored. */
export async function createSession(em: EntityManager, userUuid: string): Promise<string> {
  const [secret, csrf] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  await insertSession(em, { hash: sha256(secret), csrf, userUuid })
  return secret
}

/** Finds the valid session of a cookie secret. User activity extends it; polling by a page does not. */
export function findSession(
  em: EntityManager,
  secret: string,
  activity: { isUserActive: boolean },
): Promise<DashboardSession | null> {
  return findValidSession(em, sha256(secret), activity)
}
