import pytest

from sessions.house import House, make_house


@pytest.fixture
def house() -> House:
    return make_house()
