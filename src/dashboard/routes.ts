import type { Routes } from '../api/app.ts'
import { refuse } from '../api/errors.ts'
import { openDoor, openHouse } from './door.ts'
import { operatorActs } from './operator/acts.ts'
import { answerPages } from './operator/answers.ts'
import { entryPages } from './operator/entries.ts'
import { operatorPages } from './operator/pages.ts'
import { chargePages } from './pages/charges.ts'
import { disputePages } from './pages/disputes.ts'
import { eventPages } from './pages/events.ts'
import { keyPages } from './pages/keys.ts'
import { ledgerPages } from './pages/ledger.ts'
import { overviewPages } from './pages/overview.ts'
import { providerPages } from './pages/providers.ts'
import { signInPages } from './pages/sign-in.ts'
import { tokenPages } from './pages/tokens.ts'
import { transferPages } from './pages/transfers.ts'
import { webhookPages } from './pages/webhooks.ts'

/** SPEC §9: the dashboard under /dashboard, in the API's process, over the API's own functions. */
export const dashboardRoutes: Routes = (router, dependencies) => {
  const house = openHouse(router, dependencies)
  for (const { path, type, body } of house.assets)
    router.koa.get(path, ctx => {
      ctx.set({ 'Cache-Control': 'public, max-age=31536000, immutable' })
      ctx.type = type
      ctx.body = body
    })
  const door = openDoor(house)
  signInPages(door)
  overviewPages(door)
  chargePages(door)
  transferPages(door)
  disputePages(door)
  keyPages(door)
  ledgerPages(door)
  providerPages(door)
  tokenPages(door)
  webhookPages(door)
  eventPages(door)
  operatorPages(door)
  operatorActs(door)
  answerPages(door)
  entryPages(door)
  // What is not there is said by a page as well.
  door.get('any', '/dashboard/*rest', async () => refuse('not_found'))
}
