import Bowser from 'bowser'
import { z } from 'zod'
import { disableSecondFactor, enableSecondFactor, hasSecondFactor } from '../../admin/second-factor.ts'
import { changeOwnPassword, endOtherSessions } from '../../admin/users.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { User } from '../../db/entities/user.ts'
import {
  type ListedSession,
  listOwnSessions,
  lockVerifiedUser,
  type VerifiedUser,
} from '../../db/repositories/dashboard-sessions.ts'
import { countRecoveryCodes } from '../../db/repositories/user-totp.ts'
import { fail, failField } from '../../http/api-error.ts'
import { hashPassword, verifyPassword } from '../../security/passwords.ts'
import { sha256 } from '../../security/sealing.ts'
import { buildTotpUri, generateRecoveryCodes, generateTotpSecret } from '../../security/totp.ts'
import { renderQrSvg } from '../../views/qr-code.ts'
import { countUserAttempt } from '../authentication/attempts.ts'
import { openSealedValue } from '../authentication/sealed-value.ts'
import type { DashboardContext } from '../http/dashboard-context.ts'
import { newPasswordSchema, parseFormFields, presentPasswordSchema } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import { getUserAuthor, type PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'

const PROFILE_PATH = '/dashboard/profile'

/** Registers the page of the own user: password, second factor and sessions. */
export function registerProfilePages(router: DashboardRouter): void {
  const { get, post } = router
  registerPasswordForm(router)
  registerSecondFactorPages(router)

  get('any', PROFILE_PATH, renderProfile)

  post('any', `${PROFILE_PATH}/sessions/end`, {
    async handle(visit) {
      await endOtherSessions(visit.em, getUserAuthor(visit), { session: visit.session })
      return redirect(PROFILE_PATH, 'sessions_ended')
    },
    renderForm: renderProfile,
  })

  post('any', `${PROFILE_PATH}/sessions/:uuid/end`, {
    async handle(visit) {
      const { em, session, params } = visit
      await endOtherSessions(em, getUserAuthor(visit), { session, uuid: params.uuid })
      return redirect(PROFILE_PATH, 'session_ended')
    },
    renderForm: renderProfile,
  })
}

async function renderProfile({ em, session }: PageContext) {
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

const passwordFormSchema = z.object({
  current_password: presentPasswordSchema,
  password: newPasswordSchema,
})

/** Registers the form of the own password: every other session of the user ends. */
function registerPasswordForm({ post }: DashboardRouter): void {
  post('any', `${PROFILE_PATH}/password`, {
    async handle(visit) {
      const { current_password: current, password } = parseFormFields(passwordFormSchema, visit.form)
      const { user, isMatch } = await compareOwnPassword(visit, current)
      const isChanged = isMatch && (await replacePassword(visit, user, password))
      // The form sent twice: the password is already the new one.
      const isRepeated =
        !isChanged && (await verifyPassword(password, (await findOwnUser(visit)).passwordHash))
      if (!isChanged && !isRepeated) failField('current_password', 'is wrong')
      return redirect(PROFILE_PATH, 'password_changed')
    },
    renderForm: renderProfile,
  })
}

/** Replaces the verified password of the signed-in user; false where it was replaced meanwhile. */
async function replacePassword(visit: PageContext, user: User, password: string): Promise<boolean> {
  const passwordHash = await hashPassword(password)
  const { em, session } = visit
  return changeOwnPassword(em, getUserAuthor(visit), {
    verified: toVerifiedUser(user),
    session,
    passwordHash,
  })
}

/** Returns the signed-in user whose present password this is, or fails. */
async function requireOwnPassword(visit: PageContext, password: string): Promise<User> {
  const { user, isMatch } = await compareOwnPassword(visit, password)
  return isMatch ? user : failField('current_password', 'is wrong')
}

/** Runs work in a transaction that holds the user's row; fails where the password was replaced since it was verified. */
function runWithVerifiedUser<T>(
  { em }: PageContext,
  user: User,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  return runInTransaction(em, async tx => {
    if (!(await lockVerifiedUser(tx, toVerifiedUser(user)))) failField('current_password', 'is wrong')
    return work(tx)
  })
}

function toVerifiedUser({ uuid, passwordHash }: User): VerifiedUser {
  return { userUuid: uuid, passwordDigest: sha256(passwordHash) }
}

/** Compares the present password of the signed-in user; wrong ones are counted and limited. */
async function compareOwnPassword(visit: PageContext, password: string) {
  const attempt = await countUserAttempt(visit.em, 'password', visit.session.user.uuid)
  const user = await findOwnUser(visit)
  const isMatch = await verifyPassword(password, user.passwordHash)
  if (isMatch) await attempt.forget()
  return { user, isMatch }
}

function findOwnUser({ em, session }: PageContext): Promise<User> {
  return em.fork().findOneOrFail(User, session.user.uuid, { populate: ['passwordHash'] })
}

const SECOND_FACTOR_PATH = `${PROFILE_PATH}/second-factor`
const ENROLMENT_MAX_AGE_MS = 60 * 60_000

/** What the form of an enrolment carries sealed: nothing is stored before a code has proved the authenticator. */
const enrolmentSchema = z.object({
  kind: z.literal('totp-enrolment'),
  userUuid: z.uuid(),
  secret: z.string(),
  recoveryCodes: z.array(z.string()),
  endsAtMs: z.number(),
})
type Enrolment = z.infer<typeof enrolmentSchema>

const codeForm = { code: z.string().max(100), current_password: presentPasswordSchema }
const enableSchema = z.object({ ...codeForm, enrolment: z.string() })
const disableSchema = z.object(codeForm)

/** Registers the pages of the own second factor. */
function registerSecondFactorPages({ get, post, dashboard }: DashboardRouter): void {
  get('any', SECOND_FACTOR_PATH, visit => renderEnrolment(dashboard, visit))

  post('any', SECOND_FACTOR_PATH, {
    async handle(visit) {
      const fields = parseFormFields(enableSchema, visit.form)
      const enrolment = openEnrolment(dashboard, visit) ?? fail('form_expired')
      const user = await requireOwnPassword(visit, fields.current_password)
      const { secret, recoveryCodes } = enrolment
      const order = { author: getUserAuthor(visit), secret, recoveryCodes, code: fields.code }
      const result = await runWithVerifiedUser(visit, user, tx =>
        enableSecondFactor(tx, dashboard.sealer, order),
      )
      if (result === 'wrong_code') return failField('code', 'is wrong, or was used before')
      if (result === 'already_enabled') return fail('totp_already_enabled')
      return createPage('recovery-codes', { recoveryCodes }, PROFILE_PATH)
    },
    renderForm: visit => renderEnrolment(dashboard, visit),
  })

  post('any', `${SECOND_FACTOR_PATH}/disable`, {
    async handle(visit) {
      const { code, current_password: password } = parseFormFields(disableSchema, visit.form)
      const user = await requireOwnPassword(visit, password)
      const attempt = await countUserAttempt(visit.em, 'code', visit.session.user.uuid)
      const result = await runWithVerifiedUser(visit, user, tx =>
        disableSecondFactor(tx, dashboard.sealer, { author: getUserAuthor(visit), code }),
      )
      if (result === 'wrong_code') return failField('code', 'is wrong, or was used before')
      await attempt.forget()
      return redirect(PROFILE_PATH, 'totp_disabled')
    },
    renderForm: renderProfile,
  })
}

async function renderEnrolment(dashboard: DashboardContext, visit: PageContext) {
  const { user } = visit.session
  if (await hasSecondFactor(visit.em.fork(), user.uuid)) return renderProfile(visit)
  const enrolment = openEnrolment(dashboard, visit) ?? createEnrolment(user.uuid)
  const { secret } = enrolment
  const qr = renderQrSvg(buildTotpUri({ secret, email: user.email }))
  const model = {
    secret: secret.replace(/(.{4})(?=.)/g, '$1 '),
    qr: `data:image/svg+xml;base64,${Buffer.from(qr).toString('base64')}`,
    enrolment: dashboard.sealer.seal(enrolment),
  }
  return createPage('second-factor', model, SECOND_FACTOR_PATH)
}

function createEnrolment(userUuid: string): Enrolment {
  return {
    kind: 'totp-enrolment',
    userUuid,
    secret: generateTotpSecret(),
    recoveryCodes: generateRecoveryCodes(),
    endsAtMs: Date.now() + ENROLMENT_MAX_AGE_MS,
  }
}

/** Opens the enrolment of a form; null where there is none, or it is forged, too old or another user's. */
function openEnrolment({ sealer }: DashboardContext, { form, session }: PageContext): Enrolment | null {
  const enrolment = openSealedValue(sealer, enrolmentSchema, form.get('enrolment'))
  return enrolment?.userUuid === session.user.uuid ? enrolment : null
}
