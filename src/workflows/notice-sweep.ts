import { notices } from './activities.ts'

/** Hands over the notices that no life has taken yet; a schedule runs it every minute. */
export async function noticeSweepWorkflow(): Promise<{ waiting: number; handedOver: number }> {
  return notices.sweepNotices()
}
