import { describeDueCharges } from '../support/due-charges.ts'
import { bcbErrorReply, REFERENCE } from '../support/efi-fixture.ts'
import { openInterFixture } from '../support/inter-fixture.ts'

describeDueCharges({
  name: 'Inter',
  open: openInterFixture,
  path: `/pix/v2/cobv/${REFERENCE}`,
  notActive: bcbErrorReply(400, 'CobVOperacaoInvalida'),
  absent: bcbErrorReply(404, 'NaoEncontrado'),
})
