import type { PageContext } from '../http/page-context.ts'
import type { loadRelated } from './related.ts'

/** An entry of the history of an object, which has a status of its own, or a title in its place. */
type StoryEntry = {
  status: string
  created_at: string | Date
  title?: string
  text?: string
  /** Page of what happened. */
  href?: string
}

type RelatedObjects = Awaited<ReturnType<typeof loadRelated>>

/**
 * Merges the statuses of an object with its refunds, its disputes, further payments of it and the notes about it, the oldest first. A
 * refund is in place of the status that the object has meanwhile.
 */
export function buildStory(
  { t, f }: Pick<PageContext, 't' | 'f'>,
  history: readonly StoryEntry[],
  { refunds, disputes, pix, notes }: RelatedObjects,
): StoryEntry[] {
  const shownRefunds = refunds.hasMore ? [] : refunds.rows
  const entries: StoryEntry[] = [
    ...history.filter(({ status }) => status !== 'REFUNDING' || shownRefunds.length === 0),
    ...shownRefunds.map(one => ({
      status: one.status === 'FAILED' ? 'FAILED' : 'REFUNDING',
      created_at: one.createdAt,
      title: t(`story.refund.${one.status}`, { amount: f.money(one.cents) }),
      href: `/dashboard/refunds/${one.uuid}`,
    })),
    ...disputes.rows.map(one => ({
      status: 'DISPUTED',
      created_at: one.createdAt,
      title: t('story.dispute', { amount: f.money(one.cents) }),
      href: `/dashboard/disputes/${one.uuid}`,
    })),
    ...pix.rows
      .filter(({ disposition, movementType }) => disposition !== null && movementType === 'IN')
      .map(one => ({
        status: 'PENDING',
        created_at: one.createdAt,
        title: t('story.pix', { amount: f.money(one.cents) }),
        href: `/dashboard/unmatched/${one.uuid}`,
      })),
    ...notes.map(({ author, text, at }) => ({ status: 'NOTE', created_at: at, title: author, text })),
  ]
  const timeOf = ({ created_at }: StoryEntry) => new Date(created_at).getTime()
  return entries.toSorted((one, other) => timeOf(one) - timeOf(other))
}
