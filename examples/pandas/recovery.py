"""Reads the views of `analytics` into pandas. A notebook as a script: each `# %%` begins a cell."""

# %%
import os

import pandas as pd
from sqlalchemy import create_engine

# `analyst create` prints postgres://…; SQLAlchemy wants the driver's name, too.
url = os.environ["ANALYST_URL"].replace("postgres://", "postgresql+psycopg://", 1)
engine = create_engine(url)

# %% Rows. Times have a time zone, whatever that of the session is: UTC here, a local one where hours matter.
missed = pd.read_sql(
    """
    select at, day, section, referrer_kind, outcome from analytics.not_founds
     where project = 'demo' and day between '2026-03-01' and '2026-03-31' and not is_robot
    """,
    engine,
    parse_dates={"at": {"utc": True}, "day": {}},
)
local = missed["at"].dt.tz_convert("Europe/Berlin")
print(missed.groupby(local.dt.hour).size().rename("people").rename_axis("hour in Berlin"))

# %% Sums. A numeric is a Decimal in Python; pandas makes a float of it.
weeks = pd.read_sql(
    """
    select date_trunc('week', day)::date as week, sum(hits) as people, sum(recovered) as recovered
      from analytics.recovery_daily where project = 'demo' and day between '2026-03-01' and '2026-03-31'
     group by 1 order by 1
    """,
    engine,
    parse_dates=["week"],
    index_col="week",
)
weeks["share"] = weeks["recovered"] / weeks["people"]
print(weeks.round(2))

# %% Vectors. As an array they are lists of numbers.
pages = pd.read_sql(
    "select url, vector::real[] as vector from analytics.page_vectors where project = 'demo' order by url", engine
)
vectors = pd.DataFrame(pages["vector"].tolist(), index=pages["url"])
cosines = vectors @ vectors.T
nearest = cosines.mask(cosines.index.to_numpy()[:, None] == cosines.columns.to_numpy()).idxmax()
for page, other in nearest.items():
    print(page, other, sep="\t")
