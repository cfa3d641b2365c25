# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Define element-wise functions of NumPy arrays in CUDA C++: prices of options and their sensitivity to the stock."""

import math

import numpy as np

from cuda.core import Device
from cuda.interop.numpy import ufunc

SOURCE = r"""
template <class T> __device__ void black_scholes(T stock, T strike, T years, T rate, T volatility, T &price, T &delta)
{
    T spread = volatility * sqrt(years);
    T d = (log(stock / strike) + (rate + volatility * volatility / 2) * years) / spread;
    delta = normcdf(d);
    price = stock * delta - strike * exp(-rate * years) * normcdf(d - spread);
}
"""


@ufunc(
    "black_scholes(stock, strike, years, rate, volatility, price, delta);",
    ["fffff->ff", "ddddd->dd"],
    outputs=["price", "delta"],
    source=SOURCE,
)
def call_option(stock, strike, years, rate, volatility):
    """Price of a European call option, and its delta."""


@ufunc("strike * exp(-rate * years) - stock + call", ["fffff->f", "ddddd->d"])
def put_option(call, stock, strike, years, rate):
    """Price of the put option that belongs to a call, by put-call parity."""


def price_on_host(stock, strike, years, rate, volatility):
    """Return one price, computed by Python."""
    spread = volatility * math.sqrt(years)
    d = (math.log(stock / strike) + (rate + volatility**2 / 2) * years) / spread
    below, above = (math.erfc(-each / math.sqrt(2)) / 2 for each in (d - spread, d))
    return stock * above - strike * math.exp(-rate * years) * below


def main():
    stock = np.linspace(80, 120, 401)
    strike = np.array([90.0, 100.0, 110.0])[:, np.newaxis]  # broadcasts: a row of prices for each strike
    price, delta = call_option(stock, strike, 0.5, 0.03, 0.2)
    assert price.shape == delta.shape == (3, 401)

    numeric = np.gradient(price, stock, axis=1)
    np.testing.assert_allclose(delta[:, 1:-1], numeric[:, 1:-1], atol=1e-4)
    assert math.isclose(price[1, 200], price_on_host(100, 100, 0.5, 0.03, 0.2))

    puts = put_option(price, stock, strike, 0.5, 0.03)
    np.testing.assert_allclose(puts - price, strike * np.exp(-0.03 * 0.5) - stock)

    single = np.empty((3, 401), np.float32)
    worth = stock > strike
    call_option(stock, strike, 0.5, 0.03, 0.2, out=(single, None), where=worth)
    np.testing.assert_allclose(single[worth], price[worth], rtol=1e-6)
    print(f"numpy_ufunc: {price.size} prices on {Device().name}; at 100, a call for 100 costs {price[1, 200]:.4f}")


if __name__ == "__main__":
    main()
