import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.ObjectMapper;
import croupier.ApiClient;
import croupier.ApiException;
import croupier.api.LedgerApi;
import croupier.api.RoundsApi;
import croupier.api.SessionsApi;
import croupier.model.*;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** A whole match of each game over the generated Java client: {@code java Play URL KEY}; prints JSON. */
public class Play {
  private final String session;
  private final List<String> tokens;
  private final ApiClient table;
  private final String url;

  private Play(String url, String key, StartRequest start) throws ApiException {
    String once = UUID.randomUUID().toString();
    SessionsApi operator = new SessionsApi(client(url, key));
    Started started = operator.startSession(start, once, null, null);
    var again = operator.startSessionWithHttpInfo(start, once, null, null);
    check(again.getData().equals(started), "a retry gives the first answer");
    check(again.getHeaders().get("idempotency-replayed").equals(List.of("true")), "and says so");
    this.url = url;
    this.session = started.getSession().getId();
    this.tokens = started.getTokens().getSeats();
    this.table = client(url, started.getTokens().getTable());
  }

  public static void main(String[] arguments) throws Exception {
    String url = arguments[0], key = arguments[1];
    List<Map<String, Object>> played = new ArrayList<>();
    for (StartRequest start : List.of(
        new StartRequest(new CasinoHoldemStart().game(CasinoHoldemStart.GameEnum.CASINO_HOLDEM).ante(5L).rounds(4)),
        new StartRequest(
            new UltimateTexasHoldemStart().game(UltimateTexasHoldemStart.GameEnum.ULTIMATE_TEXAS_HOLDEM).rounds(4)),
        new StartRequest(new NoLimitHoldemStart().game(NoLimitHoldemStart.GameEnum.NO_LIMIT_HOLDEM).buyIn(1000L)))) {
      played.add(new Play(url, key, start).play());
    }
    System.out.println(ApiClient.createDefaultObjectMapper().writeValueAsString(played));
  }

  private static ApiClient client(String url, String token) {
    // The generated unions refuse a null, even where one may be, as for a session's round before the first deal.
    ObjectMapper mapper = ApiClient.createDefaultObjectMapper();
    mapper.setDefaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.SKIP));
    ApiClient client = new ApiClient().setObjectMapper(mapper);
    client.updateBaseUri(url);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    return client;
  }

  private ApiClient seat(long number) {
    return client(url, tokens.get((int) number - 1));
  }

  /** Deal and decide until the session is finished. */
  private Map<String, Object> play() throws Exception {
    long rounds = 0, decisions = 0;
    Session position = position(table);
    while (position.getStatus() == Status.OPEN) {
      DealRequest deal = new DealRequest().clientSeed("luck " + rounds).version(position.getVersion());
      Round round = new RoundsApi(table).deal(session, UUID.randomUUID().toString(), null, null, deal);
      if (rounds++ == 0) {
        isRefused(round);
      }
      for (; !settled(round); decisions++) {
        round = decide(toAct(round));
      }
      position = position(table);
    }
    return Map.of(
        "id", session,
        "game", position.getGame(),
        "rounds", rounds,
        "decisions", decisions,
        "ledger", ledger());
  }

  private Session position(ApiClient client) throws ApiException {
    return new SessionsApi(client).readSession(session, null, null, null);
  }

  private static boolean settled(Round round) {
    return round.getActualInstance() instanceof HouseRound house
        ? house.getSettlement() != null
        : round.getNoLimitRound().getSettlement() != null;
  }

  private static long toAct(Round round) {
    return round.getActualInstance() instanceof HouseRound house
        ? house.getToAct().get(0)
        : round.getNoLimitRound().getToAct().get(0);
  }

  /** One decision of a seat; asked twice, taken once. */
  private Round decide(long number) throws ApiException {
    RoundsApi rounds = new RoundsApi(seat(number));
    Session position = position(seat(number));
    Round seen = position.getRound();
    boolean first = seen.getActualInstance() instanceof NoLimitRound hand && hand.getNumber() == 1;
    List<LegalAction> legal = seen.getActualInstance() instanceof HouseRound house
        ? house.getLegalActions()
        : seen.getNoLimitRound().getLegalActions();
    DecideRequest body = new DecideRequest().action(choice(legal, first)).version(position.getVersion());
    String once = UUID.randomUUID().toString();
    Round decided = rounds.decide(session, body, once, null, null);
    check(rounds.decide(session, body, once, null, null).equals(decided), "a retry gives the first answer");
    return decided;
  }

  /** A first hand of one small raise a turn, then all that is in front; against the dealer, never a fold. */
  private static Action choice(List<LegalAction> legal, boolean first) {
    Action chosen = new Action(new Fold().type(Fold.TypeEnum.FOLD));
    for (LegalAction one : legal) {
      Object action = one.getActualInstance();
      if (action instanceof LegalRaise raise && first && raise.getMinTo() <= 400) {
        return new Action(new Raise().type(Raise.TypeEnum.RAISE).to(raise.getMinTo()));
      } else if (action instanceof LegalAllIn && !first) {
        return new Action(new AllIn().type(AllIn.TypeEnum.ALL_IN));
      } else if (action instanceof LegalPlay play) {
        int multiple = play.getMultiple().intValue();
        chosen = new Action(new croupier.model.Play().type(croupier.model.Play.TypeEnum.PLAY).multiple(multiple));
      } else if (action instanceof LegalCheck) {
        chosen = new Action(new Check().type(Check.TypeEnum.CHECK));
      } else if (action instanceof LegalCall) {
        chosen = new Action(new Call().type(Call.TypeEnum.CALL));
      }
    }
    return chosen;
  }

  /** What is not allowed is a problem that says what is. */
  private void isRefused(Round dealt) throws Exception {
    DecideRequest stale = new DecideRequest().action(new Action(new Fold().type(Fold.TypeEnum.FOLD))).version(1L);
    try {
      new RoundsApi(seat(toAct(dealt))).decide(session, stale, null, null, null);
      check(false, "a stale version is refused");
    } catch (ApiException refused) {
      Problem problem = ApiClient.createDefaultObjectMapper().readValue(refused.getResponseBody(), Problem.class);
      check(problem.getCode() == ProblemCode.STALE_VERSION && refused.getCode() == 409, "as one");
      check(problem.getVersion().equals(position(table).getVersion()), "with the present one");
    }
  }

  /** What the ledger comes to, read page by page. */
  private Map<String, Object> ledger() throws ApiException {
    List<LedgerEntry> entries = new ArrayList<>();
    Ledger page;
    Long after = 0L;
    do {
      page = new LedgerApi(table).readLedger(session, after, 3, null, null);
      entries.addAll(page.getEntries());
      after = page.getNextAfter();
    } while (after != null);
    List<Long> nets = new ArrayList<>();
    for (Totals totals : page.getTotals()) {
      long net = 0;
      for (LedgerEntry entry : entries) {
        if (entry.getActualInstance() instanceof RoundSettled settled) {
          for (SeatPosted posted : settled.getSeats()) {
            net += posted.getSeat().equals(totals.getSeat()) ? posted.getNet() : 0;
          }
        }
      }
      check(net == totals.getNet(), "the totals are the sums of the entries");
      nets.add(net);
    }
    check(nets.stream().mapToLong(Long::longValue).sum() == -page.getHouseNet(), "all nets sum to 0");
    check(entries.get(0).getActualInstance() instanceof SessionStarted, "it begins");
    SessionFinished last = entries.get(entries.size() - 1).getSessionFinished();
    return Map.of("entries", entries.size(), "nets", nets, "last", last.getHash());
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("it is not so that " + what);
    }
  }
}
