import { z } from 'zod'
import { requireVisibleCharge } from '../../../api/operations/charges.ts'
import {
  createPaymentLink,
  findActivePaymentLink,
  revokePaymentLink,
} from '../../../api/operations/payment-links.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import type { DashboardContext } from '../../http/dashboard-context.ts'
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
    async handle({ em, token, params, form }) {
      const { note } = parseFormFields(createFormSchema, form)
      const result = await createPaymentLink(dashboard.sealer, { em, token, chargeUuid: params.uuid, note })
      if (result === 'existing') return redirect(`${CHARGES_PATH}/${params.uuid}`, 'link_exists')
      return redirect(`${CHARGES_PATH}/${params.uuid}`, 'link_created')
    },
    listFacts: visit => listFactsWithoutLink(dashboard, visit),
    renderForm,
  })

  post('charges.write', `${CHARGES_PATH}/:uuid/link/revoke`, {
    confirm: visit => confirmRevocation(dashboard, visit),
    async handle({ em, token, params, form }) {
      const { link: uuid } = parseFormFields(revokeFormSchema, form)
      await revokePaymentLink({ em, token, chargeUuid: params.uuid, uuid })
      return redirect(`${CHARGES_PATH}/${params.uuid}`, 'link_revoked')
    },
    listFacts: visit => readChargeFacts(dashboard, visit),
    renderForm,
  })
}

/** The facts that a new link depends on; none where the charge has a link, which the form then leads to. */
async function listFactsWithoutLink(
  dashboard: DashboardContext,
  visit: PageContext<'merchant'>,
): Promise<ShownFact[] | null> {
  const { em, token, params } = visit
  const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
  const link = await findActivePaymentLink(em.fork(), dashboard.sealer, charge)
  return link ? null : readChargeFacts(dashboard, visit)
}

async function confirmRevocation(
  { sealer }: DashboardContext,
  visit: PageContext<'merchant'>,
): Promise<Confirmation | null> {
  const { em, token, params, form, t, f } = visit
  const { link: uuid } = parseFormFields(revokeFormSchema, form)
  const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
  const link = await findActivePaymentLink(em.fork(), sealer, charge)
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
