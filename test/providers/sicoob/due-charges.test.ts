import { describeDueCharges } from '../support/due-charges.ts'
import { openSicoobFixture, problemReply, REFERENCE } from '../support/sicoob-fixture.ts'

describeDueCharges({
  name: 'Sicoob',
  open: openSicoobFixture,
  path: `/pix/api/v2/cobv/${REFERENCE}`,
  notActive: problemReply(400, 'CobVOperacaoInvalida', 'cobv.status'),
  absent: problemReply(404, 'NaoEncontrado'),
})
