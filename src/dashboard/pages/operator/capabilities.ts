import {
  PACE_KINDS,
  PROVIDER_CAPABILITIES,
  type ProviderCapabilities,
} from '../../../domain/providers/capabilities.ts'
import type { ProviderApi } from '../../../domain/providers/provider.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { ShownFact } from '../../http/shown-facts.ts'

/**
 * Lists what a provider's API can do and how often Trilho calls it for one account, as the page of a connection shows it: each capability
 * of `PROVIDER_CAPABILITIES`, then each pace. `name` is the key of a phrase, `value` a text.
 */
export function listCapabilityFacts(
  { t, f }: Pick<PageContext<'operator'>, 't' | 'f'>,
  dialect: ProviderApi,
): ShownFact[] {
  const can = PROVIDER_CAPABILITIES[dialect]
  const yesOrNo = (is: boolean) => t(is ? 'capability.yes' : 'capability.no')
  const values: Record<Exclude<keyof ProviderCapabilities, 'pace'>, string> = {
    canTransfer: yesOrNo(can.canTransfer),
    payableAccountTypes: can.payableAccountTypes.map(type => t(`accountType.${type}`)).join(', '),
    payableCodes: can.payableCodes.map(kind => t(`payableCode.${kind}`)).join(', ') || t('capability.no'),
    transferLookUp: t(`transferLookUp.${can.transferLookUp}`),
    keepsOrderIds: yesOrNo(can.keepsOrderIds),
    canCheckDocument: yesOrNo(can.canCheckDocument),
    canLookUpKey: yesOrNo(can.canLookUpKey),
    issuesReceipts: yesOrNo(can.issuesReceipts),
    canIssueOpenAmount: yesOrNo(can.canIssueOpenAmount),
    dueCharges: yesOrNo(can.dueCharges !== null),
    journeys: can.journeys.map(journey => t(`journey.${journey}`)).join(', ') || t('capability.no'),
    ownDebits: yesOrNo(can.ownDebits !== undefined),
    locksPayer: t(`locksPayer.${can.locksPayer}`),
    refundsOneAtATime: yesOrNo(can.refundsOneAtATime),
    creatableKeyTypes: can.creatableKeyTypes.map(type => t(`key.${type}`)).join(', ') || t('capability.no'),
    notifiesByKey: t(can.notifiesByKey ? 'notifications.byKey' : 'notifications.byAccount'),
    disputes: can.disputes
      ? t(can.disputes.areNotified ? 'disputes.notified' : 'disputes.polled')
      : t('capability.no'),
  }
  const paces = PACE_KINDS.map(kind => {
    const pace = can.pace?.[kind]
    const value = pace
      ? t('pace.value', { burst: f.number(pace.burst), perMinute: f.number(pace.perSecond * 60) })
      : t('pace.none')
    return { name: `pace.${kind}`, value }
  })
  return [...Object.entries(values).map(([name, value]) => ({ name: `capability.${name}`, value })), ...paces]
}
