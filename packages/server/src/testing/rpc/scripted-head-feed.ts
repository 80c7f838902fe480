/** A head feed on a scripted chain. */
import { createHeadFeed, type HeadFeed } from '../../rpc/socket/head-feed.ts'
import { createRecordingTelemetry } from '../telemetry/recording-telemetry.ts'
import { createScriptedChain, type ScriptedChain } from './scripted-chain.ts'

export function createScriptedHeadFeed(): { readonly chain: ScriptedChain; readonly feed: HeadFeed } {
  const chain = createScriptedChain()
  const { forwarder, onHeadHint } = chain
  const upstream = { chainId: 1, onHeadHint }
  return { chain, feed: createHeadFeed({ upstream, forwarder, telemetry: createRecordingTelemetry() }) }
}
