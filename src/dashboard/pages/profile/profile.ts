import Bowser from 'bowser'
import { endOtherSessions } from '../../../admin/users.ts'
import { type ListedSession, listOwnSessions } from '../../../db/repositories/dashboard-sessions.ts'
import { countRecoveryCodes } from '../../../db/repositories/user-totp.ts'
import { createPage, redirect } from '../../http/page.ts'
import { actingUser, type PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'

export const PROFILE_PATH = '/dashboard/profile'

/** Registers the page of the own user: password, second factor and sessions. */
export function registerProfilePages({ get, post }: DashboardRouter): void {
  get('any', PROFILE_PATH, renderProfile)

  post('any', `${PROFILE_PATH}/sessions/end`, {
    async handle(visit) {
      await endOtherSessions(visit.em, actingUser(visit), { session: visit.session })
      return redirect(PROFILE_PATH, 'sessions_ended')
    },
    renderForm: renderProfile,
  })

  post('any', `${PROFILE_PATH}/sessions/:uuid/end`, {
    async handle(visit) {
      const { em, session, params } = visit
      await endOtherSessions(em, actingUser(visit), { session, uuid: params.uuid })
      return redirect(PROFILE_PATH, 'session_ended')
    },
    renderForm: renderProfile,
  })
}

export async function renderProfile({ em, session }: PageContext) {
  const [sessions, recoveryCodes] = await Promise.all([
    listOwnSessions(em.fork(), session),
    countRecoveryCodes(em.fork(), session.user.uuid),
  ])
  const model = { sessions: sessions.map(presentSession), recoveryCodes, user: session.user }
  return createPage('profile', model, PROFILE_PATH)
}

/** Names the browser and the system of a session: `Chrome, Windows`. What a browser says of itself may be false. */
function presentSession({ userAgent, ...session }: ListedSession) {
  const { browser, os } = Bowser.parse(userAgent || ' ')
  const device = [browser.name, os.name].filter(Boolean).join(', ')
  return { ...session, device }
}
