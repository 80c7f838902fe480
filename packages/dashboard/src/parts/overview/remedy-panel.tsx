/** What puts a concern right, without leaving the overview. Every form says what it will do, and asks for a reason. */
import { useContext } from 'preact/hooks'
import type { LaneOrder } from '../../api/api-client.ts'
import type { LaneResource } from '../../api/api-resources.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { orderActions, recommendAction } from '../../words/action-order.ts'
import type { Remedy } from '../../words/concerns.ts'
import { listLaneOrders } from '../../words/lane-orders.ts'
import { ConfirmButton } from '../confirm-button.tsx'
import { Loaded } from '../placeholders.tsx'
import { OrderForm } from '../signer/order-form.tsx'
import { PolicyForm } from '../signer/policy-form.tsx'
import { TakeBackForm } from '../signer/take-back-form.tsx'
import { TopUp } from '../signer/top-up.tsx'
import { OperatorActions } from '../transaction/operator-actions.tsx'

const FEE_LIMITS = ['maxFeePerGas', 'maxTxFee']

interface RemedyPanelProps {
  readonly remedy: Remedy
  onDone(): void
}

export function RemedyPanel({ remedy, onDone }: RemedyPanelProps) {
  const { api } = useContext(Service)
  switch (remedy.type) {
    case 'transaction':
      return <TransactionRemedy transactionId={remedy.transactionId} />
    case 'top_up':
      return <TopUp address={remedy.lane.address} chainId={remedy.lane.chainId} />
    case 'fee_limit':
      return <PolicyForm lane={remedy.lane} only={FEE_LIMITS} onDone={onDone} />
    case 'release':
      return <TakeBackForm address={remedy.lane.address} chainId={remedy.lane.chainId} />
    case 'resume':
      return <LaneRemedy lane={remedy.lane} order="resume" onDone={onDone} />
    case 'fill_gap':
      return <LaneRemedy lane={remedy.lane} order="fill-gap" onDone={onDone} />
    case 'turn_on':
      return (
        <ConfirmButton
          name="Turn on"
          effect="Delivers what it missed, then everything new."
          run={() => api.changeWebhook(remedy.webhookId, { enabled: true })}
        />
      )
  }
}

/** What the service offers for the transaction, with the form of what it recommends open. */
function TransactionRemedy({ transactionId }: { readonly transactionId: string }) {
  const { api } = useContext(Service)
  const explanation = useResource(`remedy ${transactionId}`, () => api.explainTransaction(transactionId))
  return (
    <Loaded resource={explanation} rows={1}>
      {(known) => {
        const recommended = recommendAction(known)?.action ?? null
        return (
          <OperatorActions
            txId={transactionId}
            options={orderActions(known)}
            recommended={recommended}
            first={recommended}
          />
        )
      }}
    </Loaded>
  )
}

interface LaneRemedyProps {
  readonly lane: LaneResource
  readonly order: LaneOrder
  onDone(): void
}

function LaneRemedy({ lane, order, onDone }: LaneRemedyProps) {
  const listed = listLaneOrders(lane).find((each) => each.order === order)
  return listed === undefined ? null : <OrderForm lane={lane} order={listed} onDone={onDone} />
}
