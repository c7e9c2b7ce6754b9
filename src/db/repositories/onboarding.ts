import type { EntityManager } from '../client/orm.ts'

/** What an account has done of the first steps: facts, each found by an index. */
export type OnboardingFacts = {
  connection: boolean
  token: boolean
  charge: boolean
  webhook: boolean
  user: boolean
}

/**
 * Finds which first steps an account has done. `webhook`: an endpoint has accepted an event. `user`: a second user
 * has been there, or is invited.
 */
export async function findOnboardingFacts(em: EntityManager, accountUuid: string): Promise<OnboardingFacts> {
  const [facts] = await em.execute<OnboardingFacts[]>(
    `select exists (select from connection where account_uuid = a.uuid) as connection,
       exists (select from token where account_uuid = a.uuid and revoked_at is null) as token,
       exists (select from charge where account_uuid = a.uuid) as charge,
       exists (select from webhook where account_uuid = a.uuid and deleted_at is null and last_success_at is not null)
         as webhook,
       (select count(*) from app_user where account_uuid = a.uuid) > 1 or exists (select from user_invitation
         where account_uuid = a.uuid and accepted_at is null and revoked_at is null) as "user"
     from (select ?::uuid as uuid) a`,
    [accountUuid],
  )
  return facts!
}
