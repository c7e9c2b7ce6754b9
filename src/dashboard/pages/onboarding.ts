import type { EntityManager } from '../../db/client/orm.ts'
import { findOnboardingFacts } from '../../db/repositories/onboarding.ts'

/** The first steps of an account, in order, each with the page where it is done. */
const STEPS = [
  { name: 'connection', path: '/dashboard/providers', permission: 'money.read' },
  { name: 'token', path: '/dashboard/tokens', permission: 'tokens.read' },
  { name: 'charge', path: '/dashboard/charges/new', permission: 'charges.write' },
  { name: 'webhook', path: '/dashboard/webhooks', permission: 'webhooks.read' },
  { name: 'user', path: '/dashboard/users', permission: 'users.write', isOptional: true },
] as const

/** Lists the first steps with whether each is done; null once all that are not optional are, so that the list disappears. */
export async function listOnboardingSteps(em: EntityManager, accountUuid: string) {
  const facts = await findOnboardingFacts(em, accountUuid)
  const steps = STEPS.map(step => ({ isOptional: false, ...step, isDone: facts[step.name] }))
  return steps.every(({ isDone, isOptional }) => isDone || isOptional) ? null : steps
}
