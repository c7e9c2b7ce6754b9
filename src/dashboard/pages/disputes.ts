import { listMeds, medOf, shown } from '../../api/meds/find.ts'
import { answerableMed, replyTo } from '../../api/meds/reply.ts'
import { inSnapshot } from '../../db/orm.ts'
import { ATTACHMENT_TYPES, MOST_ATTACHMENTS } from '../../domain/attachment.ts'
import { DISPUTE_TYPES, med as life, MED_KINDS, MED_STATUSES, whyNotAnswerable } from '../../domain/med.ts'
import { medsQuery } from '../../wire/med.ts'
import { medReplyForm } from '../../wire/med-reply.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { elsewhere, page } from '../page.ts'
import { idOf } from './charges.ts'
import { listed } from './listing.ts'
import { ofOneMode } from './mode.ts'

const PATH = '/dashboard/disputes'

export function disputePages({ get, post, house }: Door): void {
  const { engine, sealer, storage, log } = house

  get('merchant', PATH, async visit => {
    const { token, modes } = await ofOneMode(visit)
    const { data, meta, wrong } = await listed(visit, medsQuery, query =>
      inSnapshot(visit.em, em => listMeds(em, storage, token, query)),
    )
    const rows = data.map(({ attachments: _, ...med }) => med)
    const names = { statuses: MED_STATUSES, kinds: MED_KINDS, types: DISPUTE_TYPES }
    return page('disputes', { rows, meta, wrong, ...names, mode: token.mode, modes })
  })

  get('merchant', `${PATH}/:uuid`, dispute)

  post('merchant', `${PATH}/:uuid/reply`, {
    mayCome: ({ em, token, params }) => answerableMed({ em: em.fork(), token, uuid: idOf(params.uuid) }),
    async act({ em, token, params, upload }) {
      const form = required(medReplyForm, { ...upload, analysis: asCounted(upload.analysis) })
      const { body } = await replyTo(
        { engine, sealer, storage, log },
        { em, token, uuid: idOf(params.uuid), form },
      )
      return elsewhere(`${PATH}/${body.data.uuid}`, 'replied')
    },
    again: dispute,
  })

  /** Browsers count the end of a line as one character, and send two. */
  function asCounted(text: unknown): unknown {
    return typeof text === 'string' ? text.replaceAll('\r\n', '\n') : text
  }

  /** A dispute with its deadline, its proofs, and the form that answers it while it takes one. */
  function dispute({ em: outside, token, params, upload }: Visit<'merchant'>) {
    return inSnapshot(outside, async em => {
      const row = await medOf(em, token, idOf(params.uuid))
      const { attachments, ...med } = await shown(em, storage, row)
      const told = {
        dispute: med,
        mode: row.connection.isSimulated ? 'test' : 'live',
        history: row.history,
        providerAnalysis: row.providerAnalysis,
        accepts: row.accept,
        ourAnalysis: row.analysis,
        repliedAt: row.repliedAt,
        replyFailure: row.replyFailure,
        whyNotAnswerable: whyNotAnswerable({ ...row, replied: row.repliedAt != null }),
        moves: !life.isOver(row.state),
        proofs: attachments.length,
      }
      const form = {
        files: ATTACHMENT_TYPES.join(','),
        mostFiles: MOST_ATTACHMENTS,
        typed: typeof upload.analysis === 'string' ? upload.analysis : '',
        decided: upload.accept,
      }
      // Links to proofs are signed anew each time: they are no news.
      return page('dispute', { ...told, ...form, attachments }, `${PATH}/${row.uuid}`, told)
    })
  }
}
