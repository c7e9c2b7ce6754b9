import { z } from 'zod'
import { changeAccount } from '../../admin/accounts.ts'
import { Account } from '../../db/entities/account.ts'
import { toActionAuthor } from '../../db/repositories/audited-actions.ts'
import { ACCOUNT_TIME_ZONES, isAccountTimeZone } from '../../domain/shared/time-zone.ts'
import { parseFormFields } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import { getUserAuthor, type PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { encodeFacts, type ShownFact } from '../http/shown-facts.ts'
import { loadRelated } from './related.ts'

const PATH = '/dashboard/settings'

type SettingsVisit = PageContext<'merchant'>

export const timeZoneField = z.string().refine(isAccountTimeZone, 'must be a time zone of the list')
const timeZoneFormSchema = z.object({ time_zone: timeZoneField })

/** Registers the settings of the account, which all its users see and an owner changes. */
export function registerSettingsPages({ get, post }: DashboardRouter): void {
  get('money.read', PATH, renderSettings)

  post('account.write', `${PATH}/time-zone`, {
    listFacts: async visit => listSettingFacts(await readAccount(visit)),
    async handle(visit) {
      const { em } = visit
      const { time_zone: timeZone } = parseFormFields(timeZoneFormSchema, visit.form)
      // A form that was sent twice changes and records nothing.
      if ((await readAccount(visit)).timeZone !== timeZone)
        await changeAccount(em, {
          ...toActionAuthor(getUserAuthor(visit)),
          reason: `in the dashboard: ${timeZone}`,
          uuid: visit.token.accountUuid,
          change: { timeZone },
        })
      return redirect(PATH, 'time_zone_changed')
    },
    renderForm: renderSettings,
  })
}

async function renderSettings(visit: SettingsVisit) {
  const account = await readAccount(visit)
  const { uuid, name, document, timeZone, createdAt } = account
  return createPage(
    'settings',
    {
      account: { uuid, name, document, timeZone, createdAt },
      zones: ACCOUNT_TIME_ZONES,
      now: new Date().toISOString(),
      version: encodeFacts(visit.language, listSettingFacts(account)),
      related: await loadRelated(visit, { actionSubjects: [`account/${uuid}`], ledgerUuid: null }),
    },
    PATH,
  )
}

function readAccount({ em, token }: SettingsVisit): Promise<Account> {
  return em.fork().findOneOrFail(Account, token.accountUuid)
}

/** Lists what the forms of the page depend on. */
function listSettingFacts({ timeZone }: Account): ShownFact[] {
  return [{ name: 'field.time_zone', value: timeZone }]
}
