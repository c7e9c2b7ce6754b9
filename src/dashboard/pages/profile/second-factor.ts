import { z } from 'zod'
import { disableSecondFactor, enableSecondFactor, hasSecondFactor } from '../../../admin/second-factor.ts'
import { fail, failField } from '../../../http/api-error.ts'
import { buildTotpUri, generateRecoveryCodes, generateTotpSecret } from '../../../security/totp.ts'
import { renderQrSvg } from '../../../views/qr-code.ts'
import { countUserAttempt } from '../../authentication/attempts.ts'
import { openSealedValue } from '../../authentication/sealed-value.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
import { parseFormFields, presentPasswordSchema } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import { actingUser, type PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { requireOwnPassword, runWithVerifiedUser } from './password.ts'
import { PROFILE_PATH, renderProfile } from './profile.ts'

const PATH = `${PROFILE_PATH}/second-factor`
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
export function registerSecondFactorPages({ get, post, dashboard }: DashboardRouter): void {
  get('any', PATH, visit => renderEnrolment(dashboard, visit))

  post('any', PATH, {
    async handle(visit) {
      const fields = parseFormFields(enableSchema, visit.form)
      const enrolment = openEnrolment(dashboard, visit) ?? fail('form_expired')
      const user = await requireOwnPassword(visit, fields.current_password)
      const { secret, recoveryCodes } = enrolment
      const order = { actor: actingUser(visit), secret, recoveryCodes, code: fields.code }
      const result = await runWithVerifiedUser(visit, user, tx =>
        enableSecondFactor(tx, dashboard.sealer, order),
      )
      if (result === 'wrong_code') return failField('code', 'is wrong, or was used before')
      if (result === 'already_enabled') return fail('totp_already_enabled')
      return createPage('recovery-codes', { recoveryCodes }, PROFILE_PATH)
    },
    renderForm: visit => renderEnrolment(dashboard, visit),
  })

  post('any', `${PATH}/disable`, {
    async handle(visit) {
      const { code, current_password: password } = parseFormFields(disableSchema, visit.form)
      const user = await requireOwnPassword(visit, password)
      const counted = await countUserAttempt(visit.em, 'code', visit.session.user.uuid)
      const result = await runWithVerifiedUser(visit, user, tx =>
        disableSecondFactor(tx, dashboard.sealer, { actor: actingUser(visit), code }),
      )
      if (result === 'wrong_code') return failField('code', 'is wrong, or was used before')
      await counted.forget()
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
  return createPage('second-factor', model, PATH)
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
