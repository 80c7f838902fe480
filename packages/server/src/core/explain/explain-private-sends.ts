/** A signer that sends privately is run only by nodes with a send endpoint for it: what that means where none runs it. */

/** `nodeWithout`: the node that answers, if it has no send endpoint for the signer. */
export function spellPrivateSends(nodeWithout: string | null): string {
  const here = nodeWithout === null ? '' : ` Node ${nodeWithout} has none.`
  return `This signer sends privately: only a node with a send endpoint for it runs it (setting \`rpcSendUrl\`).${here}`
}
