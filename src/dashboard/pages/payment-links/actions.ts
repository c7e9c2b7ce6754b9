import { z } from 'zod'
import { requireVisibleCharge } from '../../../api/operations/charges.ts'
import {
  createPaymentLink,
  findActivePaymentLink,
  revokePaymentLink,
} from '../../../api/operations/payment-links.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { parseFormFields } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import type { ShownFact } from '../../http/shown-facts.ts'
import { CHARGES_PATH, readChargeFacts, renderCharge } from '../charges/charges.ts'

const createFormSchema = z.object({ note: z.string().trim().max(140).optional() })
const revokeFormSchema = z.object({ link: uuidSchema })

/** Registers the forms on a charge's page that create its payment link and revoke it. */
export function registerPaymentLinkActions({ post, dashboard }: DashboardRouter): void {
  const renderForm = (visit: PageContext<'merchant'>) => renderCharge(dashboard, visit)

  post('charges.write', `${CHARGES_PATH}/:uuid/link`, {
    async handle({ em, token, params, form, requestId }) {
      const { note: message } = parseFormFields(createFormSchema, form)
      const body = { charge_uuid: params.uuid, ...(message && { message }) }
      const outcome = await createPaymentLink(dashboard, { em, token, body, idempotencyKey: null, requestId })
        .then(() => 'link_created')
        .catch(error => {
          if (Object(error).code === 'payment_link_exists') return 'link_exists'
          throw error
        })
      return redirect(`${CHARGES_PATH}/${params.uuid}`, outcome)
    },
    listFacts: listFactsWithoutLink,
    renderForm,
  })

  post('charges.write', `${CHARGES_PATH}/:uuid/link/revoke`, {
    confirm: confirmRevocation,
    async handle({ em, token, params, form }) {
      const { link: uuid } = parseFormFields(revokeFormSchema, form)
      await revokePaymentLink({ em, token, uuid })
      return redirect(`${CHARGES_PATH}/${params.uuid}`, 'link_revoked')
    },
    listFacts: readChargeFacts,
    renderForm,
  })
}

/** The facts that a new link depends on; none where the charge has a link, which the form then leads to. */
async function listFactsWithoutLink(visit: PageContext<'merchant'>): Promise<ShownFact[] | null> {
  const { em, token, params } = visit
  const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
  const link = await findActivePaymentLink(em.fork(), charge)
  return link ? null : readChargeFacts(visit)
}

async function confirmRevocation(visit: PageContext<'merchant'>): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const { link: uuid } = parseFormFields(revokeFormSchema, form)
  const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
  const link = await findActivePaymentLink(em.fork(), charge)
  // Revoked already: once more changes nothing.
  if (link?.uuid !== uuid) return null
  return {
    title: t('link.revokeAsk'),
    button: t('link.revoke'),
    facts: [
      { name: 'link.note', value: link.note ?? '–' },
      { name: 'field.created_at', value: f.plainTime(link.createdAt) },
    ],
    means: t('link.revokeMeans'),
    isDangerous: true,
    back: `${CHARGES_PATH}/${params.uuid}`,
  }
}
