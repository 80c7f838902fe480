"""Uses the endpoint as any web3.py program would, and prints what became of it as one line of JSON."""

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor

from web3 import AsyncWeb3, Web3, WebSocketProvider

URL = os.environ["DROVER_RPC"]
TO = Web3.to_checksum_address(os.environ["TO"])
REVERTING = Web3.to_checksum_address(os.environ["REVERTING"])

w3 = Web3(Web3.HTTPProvider(URL))
sender, other = w3.eth.accounts


def send(**fields):
    return w3.eth.send_transaction({"from": sender, "to": TO, "value": 1, **fields})


def receipt(tx_hash):
    return w3.eth.wait_for_transaction_receipt(tx_hash, timeout=60)


def failure(**fields):
    try:
        return f"sent as {send(**fields).hex()}"
    except Exception as error:  # The test looks at its words and its class.
        return f"{type(error).__name__}: {error}"


def send_in_parallel():
    first = w3.eth.get_transaction_count(sender, "pending")
    nonces = [first + step for step in (4, 2, 0, 3, 1)]
    with ThreadPoolExecutor(len(nonces)) as pool:
        hashes = list(pool.map(lambda nonce: send(nonce=nonce), nonces))
    return [w3.eth.get_transaction(tx_hash)["nonce"] - first for tx_hash in hashes]


async def over_websocket():
    async with AsyncWeb3(WebSocketProvider(URL.replace("http", "ws"))) as socket:
        tx_hash = await socket.eth.send_transaction({"from": sender, "to": TO, "value": 2})
        mined = await socket.eth.wait_for_transaction_receipt(tx_hash, timeout=60)
        return [await socket.eth.chain_id, mined["status"]]


def in_a_batch():
    with w3.batch_requests() as batch:
        batch.add(w3.eth.get_block("latest"))
        batch.add(w3.eth.get_balance(sender))
        return len(batch.execute())


access_list = [{"address": TO, "storageKeys": ["0x" + "01" * 32]}]
print(
    json.dumps(
        {
            "accounts": [sender, other],
            "plain": receipt(send())["status"],
            "lone_tip": receipt(send(maxPriorityFeePerGas=w3.to_wei(1, "gwei")))["status"],
            "numeric_type": receipt(send(type=2))["status"],
            "access_list": receipt(send(accessList=access_list))["type"],
            "parallel": send_in_parallel(),
            "websocket": asyncio.run(over_websocket()),
            "batch": in_a_batch(),
            "revert": failure(to=REVERTING),
            "poor": failure(value=10**40),
            "free": failure(gasPrice=0),
            "used_nonce": failure(nonce=0),
        }
    )
)
