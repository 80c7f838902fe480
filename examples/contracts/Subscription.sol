// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "./FireOnce.sol";

/// Takes one payment per period. A timer with `minutes` pays it, with `value` and `appendDeliverId`.
contract Subscription is FireOnce {
    uint256 public immutable price;
    uint256 public payments;

    error WrongPrice();

    constructor(uint256 price_) {
        price = price_;
    }

    function pay() external payable oncePerFire {
        if (msg.value != price) revert WrongPrice();
        payments += 1;
    }
}
